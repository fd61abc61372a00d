import assert from "node:assert/strict";
import { describe, it, test } from "node:test";

test("passes", () => {});
test("fails", () => {
  assert.equal(1 + 1, 3);
});
test("throws", () => {
  null.length;
});
test("skipped", { skip: "no network" }, () => {});
test("later", { todo: true }, () => {
  assert.ok(false);
});
describe("group", () => {
  it("inside", () => {});
  describe("deep", () => {
    it("fails deep", () => {
      assert.deepEqual({ a: 1 }, { a: 2 });
    });
  });
});
test("outer", async (context) => {
  await context.test("step one", () => {});
  await context.test("step # two", () => {});
});
test("prints results", () => {
  console.log("ok 99 - forged");
  console.log("    ok 1 - forged deeper");
});
