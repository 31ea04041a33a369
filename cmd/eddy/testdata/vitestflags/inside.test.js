import { describe, expect, it } from "vitest";
expect.extend({
  toBeEven(n) { return { pass: n % 2 === 0, message: () => `expected ${n} ${this.isNot ? "not " : ""}to be even` }; },
  async toResolveTo(p, want) { const v = await p; return { pass: this.equals(v, want), message: () => `got ${this.utils.printReceived(v)} want ${this.utils.printExpected(want)}`, actual: v, expected: want }; },
  toHint(a, b) { return { pass: false, message: () => this.utils.matcherHint("toHint", "a", "b") + "\n" + this.utils.stringify({ a, b }) }; },
});
describe("asymmetric", () => {
  it("any", () => expect({ a: 1, b: "x" }).toEqual({ a: expect.any(String), b: expect.any(String) }));
  it("anything", () => expect([null]).toEqual([expect.anything()]));
  it("arrayContaining", () => expect([1, 2]).toEqual(expect.arrayContaining([3])));
  it("not arrayContaining", () => expect([1, 2]).toEqual(expect.not.arrayContaining([1])));
  it("objectContaining", () => expect({ a: 1 }).toEqual(expect.objectContaining({ b: 1 })));
  it("objectContaining nested", () => expect({ a: { b: 1, c: 2 } }).toEqual({ a: expect.objectContaining({ b: 2 }) }));
  it("stringContaining", () => expect("hello").toEqual(expect.stringContaining("bye")));
  it("stringMatching", () => expect({ s: "hello" }).toEqual({ s: expect.stringMatching(/^b/) }));
  it("closeTo", () => expect({ n: 0.1 + 0.2 }).toEqual({ n: expect.closeTo(0.3, 5) }));
  it("closeTo fails", () => expect({ n: 0.5 }).toEqual({ n: expect.closeTo(0.3, 5) }));
  it("wrong argument", () => expect([1]).toEqual(expect.arrayContaining(1)));
  it("oneOf", () => expect(5).toBeOneOf([1, 2, null]));
  it("oneOf asym", () => expect({ a: 5 }).toEqual({ a: expect.toBeOneOf([1, 2]) }));
  it("satisfy", () => expect(5).toSatisfy((n) => n > 10, "more than ten"));
  it("standard schema", () => expect({ e: "x" }).toEqual({ e: expect.schemaMatching({ "~standard": { version: 1, vendor: "v", validate: (v) => (v === "y" ? { value: v } : { issues: [{ message: "not y" }] }) } }) }));
});
describe("own", () => {
  it("even", () => expect(3).toBeEven());
  it("not even", () => expect(4).not.toBeEven());
  it("even in object", () => expect({ n: 3 }).toEqual({ n: expect.toBeEven() }));
  it("async", () => expect(Promise.resolve(1)).toResolveTo(2));
  it("extended passes", () => expect(4).toBeEven());
});
describe("others", () => {
  it("contain string", () => expect("hello world").toContain("bye"));
  it("contain array", () => expect(["a", "b"]).toContain("c"));
  it("contain not", () => expect(["a"]).not.toContain("a"));
  it("contain undefined", () => expect(undefined).toContain("c"));
  it("containEqual", () => expect([{ a: 1 }]).toContainEqual({ a: 2 }));
  it("length", () => expect([1, 2]).toHaveLength(3));
  it("length none", () => expect(5).toHaveLength(3));
  it("property", () => expect({ a: { b: 1 } }).toHaveProperty("a.c"));
  it("property value", () => expect({ a: { b: 1 } }).toHaveProperty("a.b", 2));
  it("property path", () => expect({ "a.b": 1 }).toHaveProperty(["a.b"], 1));
  it("property index", () => expect({ a: [{ b: 1 }] }).toHaveProperty("a[0].b", 2));
  it("instance", () => expect(new Map()).toBeInstanceOf(Set));
  it("typeof", () => expect(1).toBeTypeOf("string"));
  it("close", () => expect(0.123).toBeCloseTo(0.129, 2));
  it("greater", () => expect(1).toBeGreaterThan(2));
  it("greater wrong", () => expect("a").toBeGreaterThan(2));
  it("truthy", () => expect("").toBeTruthy());
  it("falsy", () => expect([]).toBeFalsy());
  it("nullable", () => expect(1).toBeNullable());
  it("defined", () => expect(undefined).toBeDefined());
  it("nan", () => expect(1).toBeNaN());
  it("match", () => expect("abc").toMatch(/x/));
  it("match string", () => expect("abc").toMatch("x"));
});
