import { afterAll, describe, expect, it, test as base } from "vitest";
const log = [];
const test = base.extend({
  plain: 42,
  list: async ({}, use) => { log.push("list up"); await use([1, 2]); log.push("list down"); },
  sum: async ({ list, plain }, use) => { await use(list.reduce((a, b) => a + b, plain)); },
  auto: [async ({}, use) => { log.push("auto up"); await use("auto"); log.push("auto down"); }, { auto: true }],
  lazy: async ({}, use) => { log.push("lazy"); await use("lazy"); },
  filed: [async ({}, use) => { log.push("file up"); await use({ n: 0 }); log.push("file down"); }, { scope: "file" }],
  broken: async ({}, use) => { throw new Error("fixture broke"); },
  noUse: async ({}, use) => {},
  breaksAfter: async ({}, use) => { await use(1); throw new Error("teardown broke"); },
});
test("plain", ({ plain }) => expect(plain).toBe(42));
test("list", ({ list }) => { expect(list).toEqual([1, 2]); list.push(3); });
test("fresh list", ({ list }) => expect(list).toEqual([1, 2]));
test("sum", ({ sum }) => expect(sum).toBe(45));
test("wrong sum", ({ sum }) => expect(sum).toBe(46));
test("file scope", ({ filed }) => { filed.n++; expect(filed.n).toBe(1); });
test("file scope again", ({ filed }) => { filed.n++; expect(filed.n).toBe(2); });
test("broken", ({ broken }) => {});
test("not destructured", (ctx) => { expect(ctx.plain).toBe(undefined); });
test("renamed", ({ plain: p, ...rest }) => expect(p).toBe(42));
test("default", ({ plain = 7 }) => expect(plain).toBe(42));
describe("with hooks", () => {
  test.beforeEach(({ list }) => { list.push("hook"); });
  test("sees it", ({ list }) => expect(list).toEqual([1, 2, "hook"]));
  test.for([1, 2, 3])("for %i", (n, { plain }) => expect(plain).toBe(n === 3 ? 43 : 42));
  test.each([[1, 1], [1, 2]])("each %i %i", (a, b) => expect(a).toBe(b));
});
const more = test.extend({ plain: 1, name: async ({ plain }, use) => use(`n${plain}`) });
describe("override", () => {
  test.override({ plain: 5 });
  test("sees", ({ plain, sum }) => { expect(plain).toBe(5); expect(sum).toBe(8); });
});
const built = base.extend("a", 1).extend("b", ({ a }, { onCleanup }) => { onCleanup(() => log.push("b clean")); return a + 1; });
built("builder", ({ a, b }) => expect([a, b]).toEqual([1, 2]));
built("builder fails", ({ a, b }) => expect([a, b]).toEqual([1, 3]));
test.skip("skipped", ({ broken }) => {});
test.fails("fails", ({ plain }) => expect(plain).toBe(0));
test.fails("fails not", ({ plain }) => expect(plain).toBe(42));
test.todo("later");
test.skipIf(true)("skip if", () => {});
test.runIf(true)("run if", ({ plain }) => expect(plain).toBe(42));
const cyc = base.extend({ a: async ({ b }, use) => use(b), b: async ({ a }, use) => use(a) });
cyc("cycle", ({ a }) => {});
