import { describe, expect, it, test } from "vitest";
const runs = {};
describe("each", () => {
  it.each([[1, 1, 2], [1, 2, 4]])("add(%i, %i) = %i", (a, b, c) => expect(a + b).toBe(c));
  it.each([{ a: 1, b: { c: "x" } }, { a: 2, b: { c: "y" } }])("$a and $b.c and $missing", ({ a }) => expect(a).toBe(1));
  it.each([["x", { n: 1 }], ["y", { n: 2 }]])("%s %j %o %O", () => {});
  it.each([[0.5, -0, NaN], [1 / 3, 1e21, Infinity]])("%f %d %i %#-%$ %%", () => {});
  it.each`
    a    | b    | sum
    ${1} | ${1} | ${2}
    ${2} | ${"b"} | ${3}
  `("$a + $b = $sum", ({ a, b, sum }) => expect(a + b).toBe(sum));
  it.each([])("never", () => {});
  it.each(["long ".repeat(20), { long: "x".repeat(60), b: 1, c: 2 }])("long %s", () => {});
  it.each([[{ deep: { er: [1, { x: 1 }] } }]])("object %s %o", () => {});
  it.each([["$a", "b"]])("dollar %s $0 $1", () => {});
  it.for([[1, 2], [3, 4]])("for %i %i", ([a, b], { expect }) => expect(a + 1).toBe(b));
  it.for([{ n: 1 }])("for $n", ({ n }) => expect(n).toBe(2));
});
describe.each([1, 2])("suite %i", (n) => { it("inner", () => expect(n).toBe(1)); });
describe.each([{ n: "a" }])("suite $n", ({ n }) => { it(`uses ${n}`, () => {}); });
describe.for([[1, 2]])("suite for %i %i", ([a, b]) => { it("inner", () => expect([a, b]).toEqual([1, 2])); });
describe("modes", () => {
  it.skip("skipped", () => { throw new Error("no"); });
  it.todo("todo");
  it.todo("todo with body", () => { throw new Error("no"); });
  it("no body");
  it.fails("fails", () => expect(1).toBe(2));
  it.fails("fails not", () => {});
  it.fails("fails async", async () => { await expect(Promise.resolve(1)).resolves.toBe(2); });
  it.skipIf(true)("skip if", () => {});
  it.skipIf(false)("not skip if", () => {});
  it.runIf(false)("run if", () => {});
  it.skip.each([1, 2])("skip each %i", () => {});
  it.concurrent.each([1, 2])("concurrent each %i", async (n) => expect(n).toBe(1));
  it("options", { retry: 2 }, () => { runs.options = (runs.options ?? 0) + 1; if (runs.options < 3) throw new Error("try " + runs.options); });
  it("retry fails", { retry: 1 }, () => { runs.rf = (runs.rf ?? 0) + 1; throw new Error("try " + runs.rf); });
  it("repeats", { repeats: 2 }, () => { runs.rep = (runs.rep ?? 0) + 1; });
  it("repeated", () => expect(runs.rep).toBe(3));
  it("repeats fails", { repeats: 2 }, () => { runs.repf = (runs.repf ?? 0) + 1; if (runs.repf === 2) throw new Error("second"); });
  it("meta", ({ task }) => { task.meta.own = { a: 1 }; });
  it("tagged", { meta: { x: 1 } }, ({ task }) => expect(task.meta.x).toBe(1));
});
describe.skip("whole suite", () => { it("a", () => {}); it.todo("b"); });
describe.todo("todo suite", () => { it("a", () => {}); });
describe.skipIf(true)("skipIf suite", () => { it("a", () => {}); });
describe.concurrent("concurrent", () => { it("a", async () => {}); it("b", async ({ expect }) => { expect(1).toBe(2); }); });
describe("retry inherited", { retry: 1 }, () => { let n = 0; it("second try", () => { if (n++ === 0) throw new Error("first"); }); });
test("number name", () => {}); test(function named() {}, () => {}); describe(class Klass {}, () => { it("in class", () => {}); });
it("done callback", (done) => { done(); });
it("returns value", () => 5);
