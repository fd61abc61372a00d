import { test } from "node:test";
test("only one", () => {});
