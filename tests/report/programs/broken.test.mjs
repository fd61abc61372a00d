import { test } from "node:test";
test("never", () => { let a = ; });
