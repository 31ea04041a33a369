// Each matcher in a case that passes, one that fails, and one that fails negated; the texts are recorded from vitest.
import { describe, test, expect, vi } from "vitest";

class Foo { constructor(a) { this.a = a; } }
const cases = {
  toBe: [[1, 1], [1, 2], [{ a: 1 }, { a: 1 }], [[1, 2, 3], [1, 2, 3]], ["abc", "abd"], [NaN, NaN], [0, -0], [undefined, null],
    [{ a: undefined, b: 1 }, { b: 1 }], [10n, 10n], [10n, 11n], [Symbol.for("a"), Symbol.for("b")], ["a\nb", "a\nc"], ["x".repeat(60), "y"]],
  toEqual: [[{ a: 1 }, { a: 1 }], [{ a: 1 }, { a: 2 }], [{ a: undefined, b: 2 }, { b: 2 }], [[1, , 3], [1, undefined, 3]],
    [new Foo(1), { a: 1 }], [new Map([[1, 2]]), new Map([[1, 3]])], [new Set([1, 2]), new Set([2, 1])], [new Date(0), new Date(1)],
    [/a/g, /a/i], [new Error("a"), new Error("b")], [new TypeError("a"), new Error("a")], [{ a: { b: { c: [1, 2, { d: 3 }] } } }, { a: { b: { c: [1, 2, { d: 4 }] } } }],
    ["a", "b"], [null, undefined], [new Uint8Array([1, 2]), new Uint8Array([1, 3])], [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], [1]],
    [{ a: 1, b: 2, c: 3 }, { a: 1, b: 2 }], [() => 1, () => 1]],
  toStrictEqual: [[{ a: undefined, b: 2 }, { b: 2 }], [[1, , 3], [1, undefined, 3]], [new Foo(1), { a: 1 }], [{ a: 1 }, { a: 1 }]],
  toMatchObject: [[{ a: 1, b: 2 }, { a: 1 }], [{ a: 1, b: 2 }, { a: 2 }], [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }], [[{ a: 1, b: 1 }], [{ a: 1 }]],
    [[{ a: 1 }], [{ a: 2 }]], [{ a: [1, 2] }, { a: [1] }], [{ a: 1, b: 2, c: { d: 1, e: 2 } }, { c: { d: 2 } }]],
  toContain: [[[1, 2], 1], [[1, 2], 3], ["abc", "b"], ["abc", "x"], [new Set([1]), 2], [["a"], "b"]],
  toContainEqual: [[[{ a: 1 }], { a: 1 }], [[{ a: 1 }], { a: 2 }]],
  toMatch: [["abc", /b/], ["abc", /x/], ["abc", "x"], ["abc", "bc"]],
  toHaveLength: [[[1, 2], 2], [[1, 2], 3], ["abc", 3], ["abc", 1], [{}, 1]],
  toHaveProperty: [[{ a: { b: 1 } }, "a.b"], [{ a: { b: 1 } }, "a.c"], [{ a: { b: 1 } }, "a.b", 1], [{ a: { b: 1 } }, "a.b", 2],
    [{ a: [{ b: 1 }] }, "a[0].b", 1], [{ a: 1 }, ["a"]], [{ "a.b": 1 }, "a.b"], [{ a: { b: { c: 1 } } }, "a.b", { c: 2 }]],
  toBeCloseTo: [[0.1 + 0.2, 0.3], [1, 1.1], [1, 1.001], [1, 1.2, 0], [Infinity, Infinity]],
  toBeInstanceOf: [[new Foo(1), Foo], [{}, Foo], [[], Array], [new Error("x"), TypeError]],
  toBeTypeOf: [[1, "number"], [1, "string"], [null, "object"]],
  toBeGreaterThan: [[2, 1], [1, 2], [1, 1], [2n, 1n]], toBeGreaterThanOrEqual: [[1, 1], [0, 1]],
  toBeLessThan: [[1, 2], [2, 1]], toBeLessThanOrEqual: [[1, 1], [2, 1]],
  toBeOneOf: [[1, [1, 2]], [3, [1, 2]], ["a", new Set(["b"])]],
};
for (const [name, list] of Object.entries(cases))
  describe(name, () => {
    list.forEach(([actual, ...args], i) => {
      test(`case ${i}`, () => { expect(actual)[name](...args); });
      test(`case ${i} not`, () => { expect(actual).not[name](...args); });
    });
  });
const unary = ["toBeTruthy", "toBeFalsy", "toBeDefined", "toBeUndefined", "toBeNull", "toBeNullable", "toBeNaN"];
for (const name of unary)
  describe(name, () => {
    for (const [i, x] of [1, 0, undefined, null, NaN, "", "a", {}, [], { a: 1, b: 2, c: 3 }].entries()) {
      test(`case ${i}`, () => { expect(x)[name](); });
      test(`case ${i} not`, () => { expect(x).not[name](); });
    }
  });
describe("toThrow", () => {
  const f = () => { throw new TypeError("a message"); };
  const calm = () => 1;
  const list = [[], ["message"], ["other"], [/mess/], [/other/], [TypeError], [Error], [SyntaxError], [new TypeError("a message")],
    [new Error("x")], [expect.objectContaining({ message: "a message" })], [expect.objectContaining({ message: "b" })], [""]];
  list.forEach((args, i) => {
    for (const [kind, fn] of [["throws", f], ["calm", calm]]) {
      test(`${kind} ${i}`, () => { expect(fn).toThrow(...args); });
      test(`${kind} ${i} not`, () => { expect(fn).not.toThrow(...args); });
    }
  });
  test("no function", () => { expect(1).toThrow(); });
  test("string thrown", () => { expect(() => { throw "text"; }).toThrow("other"); });
  test("rejects", async () => { await expect(Promise.reject(new Error("no"))).rejects.toThrow("no"); });
  test("rejects wrong", async () => { await expect(Promise.reject(new Error("no"))).rejects.toThrow("yes"); });
  test("rejects class", async () => { await expect(Promise.reject(new Error("no"))).rejects.toThrow(TypeError); });
});
describe("promises", () => {
  test("resolves", async () => { await expect(Promise.resolve(1)).resolves.toBe(1); });
  test("resolves wrong", async () => { await expect(Promise.resolve(1)).resolves.toBe(2); });
  test("resolves rejected", async () => { await expect(Promise.reject(new Error("no"))).resolves.toBe(2); });
  test("rejects resolved", async () => { await expect(Promise.resolve(1)).rejects.toBe(2); });
  test("rejects value", async () => { await expect(Promise.reject(3)).rejects.toBe(2); });
  test("no promise", async () => { await expect(1).resolves.toBe(2); });
  test("no promise rejects", async () => { await expect("a").rejects.toBe(2); });
  test("rejects function", async () => { await expect(async () => { throw new Error("x"); }).rejects.toThrow("x"); });
  test("not", async () => { await expect(Promise.resolve(1)).resolves.not.toBe(1); });
  test("resolves throw", async () => { await expect(Promise.resolve(1)).resolves.toThrow("x"); });
  test("resolves not throw", async () => { await expect(Promise.resolve(1)).resolves.not.toThrow(); });
});
describe("message", () => {
  test("own", () => { expect(1, "my words").toBe(2); });
  test("own chai", () => { expect(1, "my words").to.equal(2); });
});
describe("counts", () => {
  test("assertions", () => { expect.assertions(2); expect(1).toBe(1); });
  test("hasAssertions", () => { expect.hasAssertions(); });
  test("unreachable", () => { expect.unreachable("here"); });
  test("unreachable bare", () => { expect.unreachable(); });
  test("soft", () => { expect.soft(1).toBe(2); expect.soft(2).toBe(3); });
  test("fails passes", { fails: true }, () => { expect(1).toBe(2); });
  test("fails fails", { fails: true }, () => {});
  test("satisfy", () => { expect(1).toSatisfy((x) => x > 1); });
  test("satisfy message", () => { expect(1).toSatisfy((x) => x > 1, "more than one"); });
});
describe("asymmetric", () => {
  const list = [[1, expect.any(Number)], ["a", expect.any(Number)], [null, expect.anything()], [1, expect.anything()], ["abc", expect.stringContaining("b")],
    ["abc", expect.stringContaining("x")], ["abc", expect.stringMatching(/^a/)], ["abc", expect.stringMatching(/^b/)], [[1, 2], expect.arrayContaining([1])],
    [[1, 2], expect.arrayContaining([3])], [{ a: 1, b: 2 }, expect.objectContaining({ a: 1 })], [{ a: 1 }, expect.objectContaining({ a: 2 })],
    [1.001, expect.closeTo(1)], [1.1, expect.closeTo(1)], ["abc", expect.not.stringContaining("b")], [[1], expect.not.arrayContaining([1])],
    [{ a: 1 }, expect.not.objectContaining({ a: 1 })], [{ id: 5, t: "x" }, { id: expect.any(Number), t: expect.stringMatching("y") }]];
  list.forEach(([a, e], i) => {
    test(`case ${i}`, () => { expect(a).toEqual(e); });
  });
});
describe("extend", () => {
  expect.extend({
    toBeFoo(received, word) {
      return { pass: received === "foo", message: () => `expected ${this.utils.printReceived(received)}${this.isNot ? " not" : ""} to be foo ${word}`, actual: received, expected: "foo" };
    },
    async toBeLater(received) { return { pass: received > 1, message: () => "too small" }; },
  });
  test("pass", () => { expect("foo").toBeFoo("w"); });
  test("fail", () => { expect("bar").toBeFoo("w"); });
  test("not", () => { expect("foo").not.toBeFoo("w"); });
  test("async", async () => { await expect(1).toBeLater(); });
  test("asymmetric", () => { expect({ a: "bar" }).toEqual({ a: expect.toBeFoo("w") }); });
});
