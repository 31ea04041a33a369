// Suites, hooks, titles, fixtures; the results are recorded from vitest.
import { describe, test, it, expect, beforeAll, beforeEach, afterEach, afterAll, onTestFinished, onTestFailed, vi } from "vitest";

const log = [];
describe("hooks", () => {
  beforeAll(() => { log.push("beforeAll"); return () => log.push("beforeAll cleanup"); });
  afterAll(() => { log.push("afterAll"); });
  beforeEach(() => { log.push("beforeEach 1"); return () => log.push("cleanup 1"); });
  beforeEach(() => { log.push("beforeEach 2"); });
  afterEach(() => { log.push("afterEach 1"); });
  afterEach(() => { log.push("afterEach 2"); });
  describe("inner", () => {
    beforeEach(() => { log.push("inner beforeEach"); });
    afterEach(() => { log.push("inner afterEach"); });
    test("one", ({ onTestFinished }) => { log.push("one"); onTestFinished(() => { log.push("finished 1"); }); onTestFinished(() => { log.push("finished 2"); }); });
  });
  test("two", () => { log.push("two"); });
});
test("order of hooks", () => {
  expect(log).toEqual(["beforeAll", "beforeEach 1", "beforeEach 2", "inner beforeEach", "one", "inner afterEach", "afterEach 2", "afterEach 1",
    "cleanup 1", "finished 2", "finished 1", "beforeEach 1", "beforeEach 2", "two", "afterEach 2", "afterEach 1", "cleanup 1", "afterAll", "beforeAll cleanup"]);
});
describe("titles", () => {
  test.each([[1, 2, 3], [2, 3, 5]])("%i + %i = %i", (a, b, c) => { expect(a + b).toBe(c); });
  test.each([{ a: 1, b: { c: "x" } }])("object $a $b.c %#", ({ a }) => { expect(a).toBe(1); });
  test.each(["s", "t"])("string %s %$", (s) => { expect(typeof s).toBe("string"); });
  test.each([[{ a: 1 }, [1, 2]]])("json %j %o", () => {});
  test.each`
    a    | b    | sum
    ${1} | ${2} | ${3}
    ${4} | ${5} | ${9}
  `("table $a + $b = $sum", ({ a, b, sum }) => { expect(a + b).toBe(sum); });
  test.for([[1, 2], [3, 4]])("for %s %s", ([a, b], { expect }) => { expect(b).toBe(a + 1); });
  describe.each([[1], [2]])("suite %d", (n) => { test("in", () => { expect(n).toBeGreaterThan(0); }); });
  test.each([[0.1, -0, 1.5e10, NaN]])("numbers %f %d %i %s", () => {});
  test.each([[undefined, null, true, 10n, Symbol("q")]])("odd %s %s %s %s %s", () => {});
  test.each([{ name: "a long text that goes on and on and on and on" }])("long $name", () => {});
  test.each([[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]]])("array $0", () => {});
  test("percent %s %% is left", () => {});
});
describe("modes", () => {
  test.skip("skipped", () => {});
  test.todo("todo");
  test("no function");
  describe.skip("skipped suite", () => { test("in", () => {}); });
  test.skipIf(true)("skipIf", () => {});
  test.runIf(false)("runIf", () => {});
  test.fails("fails", () => { throw new Error("x"); });
  test("skip inside", ({ skip }) => { skip("a note"); });
  test("skip condition", ({ skip }) => { skip(false); });
  let n = 0;
  test("retry", { retry: 2 }, () => { if (++n < 3) throw new Error(`try ${n}`); });
  let m = 0;
  test("retry fails", { retry: 1 }, () => { throw new Error(`try ${++m}`); });
  let r = 0;
  test("repeats", { repeats: 2 }, () => { r++; });
  test("repeats count", () => { expect(r).toBe(3); });
});
describe("failing hooks", () => {
  describe("beforeAll", () => { beforeAll(() => { throw new Error("beforeAll fails"); }); test("never", () => {}); });
  describe("beforeEach", () => { beforeEach(() => { throw new Error("beforeEach fails"); }); test("fails", () => {}); });
  describe("afterEach", () => { afterEach(() => { throw new Error("afterEach fails"); }); test("fails", () => {}); });
  describe("afterAll", () => { afterAll(() => { throw new Error("afterAll fails"); }); test("passes", () => {}); });
});
describe("fixtures", () => {
  const made = [];
  const my = test.extend({
    a: async ({}, use) => { made.push("a up"); await use(1); made.push("a down"); },
    b: async ({ a }, use) => { made.push("b up"); await use(a + 1); made.push("b down"); },
    plain: 5,
    auto: [async ({}, use) => { made.push("auto"); await use("x"); }, { auto: true }],
  });
  my("uses", ({ b, plain }) => { expect(b + plain).toBe(7); });
  my("order", () => { expect(made).toEqual(["auto", "a up", "b up", "b down", "a down", "auto"]); });
  my("wrong pattern", (context) => { expect(context.task.name).toBe("wrong pattern"); });
  const built = test.extend("x", 3).extend("y", ({ x }) => x * 2);
  built("builder", ({ y }) => { expect(y).toBe(6); });
});
describe("timeouts", () => {
  test("sync", () => {}, 100);
  test("slow", async () => { await new Promise((r) => setTimeout(r, 30)); });
});
describe("concurrent", () => {
  const order = [];
  test.concurrent("a", async ({ expect }) => { order.push("a"); await new Promise((r) => setTimeout(r, 5)); order.push("a2"); });
  test.concurrent("b", async ({ expect }) => { order.push("b"); await new Promise((r) => setTimeout(r, 1)); order.push("b2"); });
  test("both ran at once", () => { expect(order).toEqual(["a", "b", "b2", "a2"]); });
});
describe("errors", () => {
  test("cause", () => { throw new Error("outer", { cause: new TypeError("inner") }); });
  test("string", () => { throw "just text"; });
  test("object", () => { throw { code: 5 }; });
  test("null", () => { throw null; });
  test("onTestFailed", () => { onTestFailed(() => {}); throw new RangeError("r"); });
});
describe("options", () => {
  test("object third", () => { expect(() => test("x", () => {}, { timeout: 1 })).toThrow(); });
});
describe("chai", () => {
  test("deep", () => { expect({ a: 1 }).to.deep.equal({ a: 2 }); });
  test("equal", () => { expect(1).to.equal(2); });
  test("a", () => { expect("x").to.be.a("number"); });
  test("include", () => { expect([1, 2]).to.include(3); });
  test("property", () => { expect({ a: 1 }).to.have.property("b"); });
  test("property value", () => { expect({ a: 1 }).to.have.property("a", 2); });
  test("length", () => { expect([1]).to.have.length(2); });
  test("lengthOf", () => { expect("abc").to.have.lengthOf(3).and.include("b"); });
  test("above", () => { expect(1).to.be.above(2); });
  test("ok", () => { expect(0).to.be.ok; });
  test("true", () => { expect(false).to.be.true; });
  test("null", () => { expect(1).to.be.null; });
  test("exist", () => { expect(null).to.exist; });
  test("empty", () => { expect([1]).to.be.empty; });
  test("keys", () => { expect({ a: 1, b: 2 }).to.have.keys("a"); });
  test("all keys", () => { expect({ a: 1, b: 2 }).to.have.all.keys("a", "b"); });
  test("throw", () => { expect(() => { throw new Error("boom"); }).to.throw("other"); });
  test("no throw", () => { expect(() => {}).to.throw(TypeError); });
  test("members", () => { expect([1, 2]).to.have.members([2, 1]); expect([1, 2]).to.have.members([1]); });
  test("within", () => { expect(5).to.be.within(6, 9); });
  test("instance", () => { expect({}).to.be.instanceOf(Map); });
  test("satisfy", () => { expect(1).to.satisfy((x) => x > 2); });
  test("oneOf", () => { expect(1).to.be.oneOf([2, 3]); });
  test("match", () => { expect("abc").to.match(/x/); });
  test("not", () => { expect(1).to.not.equal(1); });
});
