import { afterEach, assert, expect, it, vi } from "vitest";
afterEach(() => vi.useRealTimers());
it("nextTimerAsync", async () => {
  vi.useFakeTimers(); vi.setTimerTickMode("nextTimerAsync");
  const began = Date.now();
  await new Promise((r) => setTimeout(r, 1000));
  await new Promise((r) => setTimeout(r, 500));
  expect(Date.now() - began).toBe(1500);
  vi.setTimerTickMode("manual");
  const late = vi.fn(); setTimeout(late, 10);
  expect(late).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10);
  expect(late).toHaveBeenCalled();
});
it("interval", async () => {
  vi.useFakeTimers(); vi.setTimerTickMode("interval", 50);
  await new Promise((r) => setTimeout(r, 100));
  expect(() => vi.setTimerTickMode("loud")).toThrow("Invalid tick mode: loud");
});
it("needs fake timers", () => { expect(() => vi.setTimerTickMode("manual")).toThrow("A function to advance timers was called"); });
it("asymmetric", () => {
  expect({ a: 1, b: 4 }).toEqual({ a: expect.toBeOneOf([1, 2]), b: expect.toSatisfy((x) => x % 2 === 0) });
  expect({ a: 3 }).toEqual({ a: expect.not.toBeOneOf([1, 2]) });
  expect({ a: 3 }).toEqual({ a: expect.toBeOneOf([1, 2]) });
});
it("assert", () => {
  let n = 0; const o = { n: 0 };
  assert.changesBy(() => { n += 2; o.n += 2; }, o, "n", 2);
  assert.changesBy(() => { n += 2; }, () => n, 2);
  assert.increasesBy(() => { o.n += 3; }, o, "n", 3);
  assert.increasesButNotBy(() => { o.n += 3; }, o, "n", 4);
  assert.decreasesBy(() => { o.n -= 3; }, o, "n", 3);
  assert.empty([]); assert.notEmpty([1]);
  assert.includeDeepOrderedMembers([{ a: 1 }, { b: 2 }, { c: 3 }], [{ a: 1 }, { b: 2 }]);
  assert.notIncludeDeepOrderedMembers([{ a: 1 }, { b: 2 }, { c: 3 }], [{ b: 2 }, { c: 3 }]);
  assert.deepOwnPropertyVal({ a: { b: 1 } }, "a", { b: 1 });
  assert.containsSubset({ a: 1, b: [1, { c: 2 }] }, { b: [{ c: (x) => x > 1 }] });
  expect({ a: 1, b: 2 }).to.containSubset({ a: 1 });
});
it("contain subset", () => { expect({ a: 1 }).to.containSubset({ a: 2 }); });
