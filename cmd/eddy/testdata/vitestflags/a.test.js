import { describe, expect, it } from "vitest";

it("passes", () => {});
it("differs", () => { expect({ a: 1, b: [1] }).toEqual({ a: 2, b: [1] }); });
it.skip("is left out", () => {});
it.todo("is to do");
it.fails("fails as it should", () => { expect(1).toBe(2); });
let tries = 0;
it("comes right in the end", { retry: 2 }, () => { expect(++tries).toBe(2); });
describe("a suite", () => {
  it("passes inside", () => {});
  it("throws", () => { throw new TypeError("wrong", { cause: new Error("deeper") }); });
  it("leaves itself out", ({ skip }) => skip("for a reason"));
});
