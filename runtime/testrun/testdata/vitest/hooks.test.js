import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFailed, onTestFinished } from "vitest";
const log = [];
const add = (x) => log.push(x);
describe("order", () => {
  beforeAll(() => { add("all 1"); return () => add("all 1 cleanup"); });
  beforeAll(() => add("all 2"));
  afterAll(() => add("after all 1"));
  afterAll(() => add("after all 2"));
  beforeEach(() => { add("each 1"); return () => add("each 1 cleanup"); });
  beforeEach(() => add("each 2"));
  afterEach(() => add("after each 1"));
  afterEach(() => add("after each 2"));
  it("one", () => { onTestFinished(() => add("finished a")); onTestFinished(() => add("finished b")); onTestFailed(() => add("failed")); add("one"); });
  describe("inner", () => {
    beforeAll(() => add("inner all"));
    beforeEach(() => add("inner each"));
    afterEach(() => add("inner after each"));
    it("two", () => add("two"));
    it("fails", () => { onTestFailed(() => add("failed")); onTestFinished(() => add("finished")); expect(1).toBe(2); });
  });
});
describe("beforeAll fails", () => {
  beforeAll(() => { throw new Error("no database"); });
  afterAll(() => add("still after all"));
  it("is skipped", () => {});
  describe("nested", () => { it("is skipped too", () => {}); });
});
describe("afterAll fails", () => { afterAll(() => { throw new TypeError("cannot close"); }); it("passes", () => {}); });
describe("beforeEach fails", () => { beforeEach(() => { throw new Error("each broke"); }); afterEach(() => add("x")); it("a", () => {}); it("b", () => {}); });
describe("afterEach fails", () => { afterEach(() => { throw new Error("after broke"); }); it("a", () => {}); it("b fails itself", () => { throw new Error("own"); }); });
describe("async hooks", () => { let v; beforeEach(async () => { await new Promise((r) => setTimeout(r, 5)); v = 1; }); it("waits", () => expect(v).toBe(1)); });
describe("cleanup fails", () => { beforeEach(() => () => { throw new Error("cleanup broke"); }); it("a", () => {}); });
describe("finished fails", () => { it("a", () => { onTestFinished(() => { throw new Error("finish broke"); }); }); });
describe.skip("skipped suite", () => { beforeAll(() => { throw new Error("never"); }); it("a", () => {}); });
describe("skipped tests only", () => { beforeAll(() => { throw new Error("never either"); }); it.skip("a", () => {}); });
describe("empty", () => {});
describe.todo("todo suite");
it("context skip", (ctx) => { ctx.skip("because"); });
it("context skip if", (ctx) => { ctx.skip(true, "cond"); });
it("context skip not", (ctx) => { ctx.skip(false, "cond"); });
it("task", ({ task }) => { expect(task.name).toBe("task"); expect(task.type).toBe("test"); expect(task.mode).toBe("run"); });
it("signal", ({ signal }) => { expect(signal).toBeInstanceOf(AbortSignal); expect(signal.aborted).toBe(false); });
it("assertions", ({ expect }) => { expect.assertions(2); expect(1).toBe(1); });
it("hasAssertions", () => { expect.hasAssertions(); });
it("test in test", () => { it("inner", () => {}); });
it("describe in test", () => { describe("inner", () => {}); });

it("saw the order", () =>
  expect(log.slice(0, 24)).toEqual([
    "all 1", "all 2", "each 1", "each 2", "one", "after each 2", "after each 1", "each 1 cleanup", "finished b", "finished a",
    "inner all", "each 1", "each 2", "inner each", "two", "inner after each", "after each 2", "after each 1",
    "each 1 cleanup", "each 1", "each 2", "inner each", "inner after each", "after each 2",
  ]));
