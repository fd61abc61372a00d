import { test } from "node:test";
process.exit(0);
test("never", () => { throw new Error("never"); });
