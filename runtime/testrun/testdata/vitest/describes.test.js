// When the callbacks of describe run, and to whom tests belong; the results are recorded from vitest.
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const log = ["top"];
let rows = [];
describe("a", () => {
  log.push("a");
  describe("b", async () => {
    log.push("b");
    await null;
    log.push("b later");
    it("belongs to b", () => {});
  });
  log.push("end of a");
  it("belongs to a", () => {});
});
log.push("after a");
describe("c", () => {
  log.push("c");
  it.each(rows)("row %s", (row) => expect(row).toBeGreaterThan(0));
});
it("between", () => {});
rows = [1, 2];
await null;
log.push("loaded");
describe.skip("skipped", () => {
  log.push("skipped");
  it("is skipped", () => {});
});
describe("empty", () => {});
describe("empty, with hooks", () => {
  beforeAll(() => void log.push("hook"));
});
describe("beforeAll throws", () => {
  beforeAll(() => {
    throw new Error("before");
  });
  it("does not run", () => {});
  describe("inside", () => void it("does not run either", () => {}));
});
describe("afterAll throws", () => {
  afterAll(() => {
    throw new Error("after");
  });
  it("has run", () => {});
});
it("order of the callbacks", () => {
  expect(log).toEqual(["top", "after a", "loaded", "a", "end of a", "b", "b later", "c", "skipped", "hook"]);
});
