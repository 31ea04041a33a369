// Mocks and the matchers about them; the texts are recorded from vitest.
import { describe, test, expect, vi, afterEach } from "vitest";

describe("called", () => {
  const f = () => { const m = vi.fn(); m(1, "a"); m({ b: 2 }); return m; };
  const none = () => vi.fn().mockName("named");
  for (const [kind, make] of [["two", f], ["none", none]]) {
    const list = { toHaveBeenCalled: [], toHaveBeenCalledTimes: [3], toHaveBeenCalledOnce: [], toHaveBeenCalledWith: [2, "x"],
      toHaveBeenNthCalledWith: [1, 1, "b"], toHaveBeenLastCalledWith: [{ b: 3 }], toHaveBeenCalledExactlyOnceWith: [1, "a"] };
    for (const [name, args] of Object.entries(list)) {
      test(`${kind} ${name}`, () => { expect(make())[name](...args); });
      test(`${kind} not ${name}`, () => { expect(make()).not[name](...args); });
    }
    test(`${kind} with`, () => { expect(make()).toHaveBeenCalledWith(1, "a"); });
    test(`${kind} not with`, () => { expect(make()).not.toHaveBeenCalledWith(1, "a"); });
    test(`${kind} nth`, () => { expect(make()).toHaveBeenNthCalledWith(2, { b: 2 }); });
    test(`${kind} nth 5`, () => { expect(make()).toHaveBeenNthCalledWith(5, 1); });
    test(`${kind} last`, () => { expect(make()).toHaveBeenLastCalledWith({ b: 2 }); });
  }
  test("no spy", () => { expect(() => 1).toHaveBeenCalled(); });
});
describe("returned", () => {
  const f = () => { const m = vi.fn((x) => { if (x > 5) throw new Error("big"); return x * 2; }); m(1); m(2); try { m(9); } catch {} return m; };
  const list = { toHaveReturned: [], toHaveReturnedTimes: [3], toHaveReturnedWith: [5], toHaveLastReturnedWith: [4], toHaveNthReturnedWith: [2, 5] };
  for (const [name, args] of Object.entries(list)) {
    test(name, () => { expect(f())[name](...args); });
    test(`not ${name}`, () => { expect(f()).not[name](...args); });
  }
  test("with 4", () => { expect(f()).toHaveReturnedWith(4); });
  test("resolved", async () => { const m = vi.fn(async (x) => x); await m(1); expect(m).toHaveResolvedWith(1); expect(m).toHaveResolvedTimes(2); });
});
describe("state", () => {
  test("calls", () => {
    const m = vi.fn((a, b) => a + b);
    expect(m(1, 2)).toBe(3);
    expect(m.mock.calls).toEqual([[1, 2]]);
    expect(m.mock.results).toEqual([{ type: "return", value: 3 }]);
    expect(m.mock.lastCall).toEqual([1, 2]);
    expect(m.getMockName()).toBe("vi.fn()");
    m.mockClear();
    expect(m.mock.calls).toEqual([]);
    m.mockReturnValueOnce(7).mockReturnValue(8);
    expect([m(), m(), m()]).toEqual([7, 8, 8]);
    m.mockReset();
    expect(m(1, 1)).toBe(2);
  });
  test("async values", async () => {
    const m = vi.fn().mockResolvedValueOnce(1).mockRejectedValueOnce(new Error("e"));
    expect(await m()).toBe(1);
    await expect(m()).rejects.toThrow("e");
    expect(m()).toBeUndefined();
  });
  test("spyOn", () => {
    const o = { f: (x) => x, get g() { return 1; } };
    const s = vi.spyOn(o, "f");
    expect(o.f(3)).toBe(3);
    expect(s).toHaveBeenCalledWith(3);
    expect(s.getMockName()).toBe("f");
    s.mockReturnValue(9);
    expect(o.f(3)).toBe(9);
    s.mockRestore();
    expect(o.f(3)).toBe(3);
    expect(vi.isMockFunction(o.f)).toBe(false);
    const g = vi.spyOn(o, "g", "get").mockReturnValue(5);
    expect(o.g).toBe(5);
    expect(g).toHaveBeenCalledTimes(1);
  });
  test("spyOn missing", () => { vi.spyOn({}, "f"); });
  test("spyOn value", () => { vi.spyOn({ a: 1 }, "a"); });
  test("spyOn nothing", () => { vi.spyOn(undefined, "a"); });
  test("class", () => {
    const C = vi.fn(class { constructor(x) { this.x = x; } m() { return this.x; } });
    const c = new C(4);
    expect(c.m()).toBe(4);
    expect(C.mock.instances[0]).toBe(c);
  });
  test("arrow is no constructor", () => { const C = vi.fn(() => ({})); new C(); });
  test("withImplementation", () => {
    const m = vi.fn(() => 1);
    m.withImplementation(() => 2, () => { expect(m()).toBe(2); });
    expect(m()).toBe(1);
  });
  test("order", () => {
    const a = vi.fn(), b = vi.fn();
    a(); b();
    expect(a).toHaveBeenCalledBefore(b);
    expect(a).toHaveBeenCalledAfter(b);
  });
  test("restoreAllMocks leaves vi.fn", () => {
    const m = vi.fn(() => 1).mockReturnValue(2);
    vi.restoreAllMocks();
    expect(m()).toBe(2);
    vi.resetAllMocks();
    expect(m()).toBe(1);
  });
  test("mockObject", () => {
    const o = vi.mockObject({ a: 1, f: () => 1, n: { g() { return 2; } }, l: [1, 2] });
    expect(o.a).toBe(1);
    expect(o.f()).toBeUndefined();
    expect(o.n.g()).toBeUndefined();
    expect(o.l).toEqual([]);
  });
});
describe("timers", () => {
  afterEach(() => { vi.useRealTimers(); });
  test("advance", () => {
    vi.useFakeTimers();
    const f = vi.fn();
    setTimeout(f, 1000); setInterval(f, 400);
    vi.advanceTimersByTime(1000);
    expect(f).toHaveBeenCalledTimes(3);
    expect(vi.getTimerCount()).toBe(1);
    vi.clearAllTimers();
    expect(vi.getTimerCount()).toBe(0);
  });
  test("date", () => {
    vi.useFakeTimers({ now: 1000 });
    expect(Date.now()).toBe(1000);
    vi.advanceTimersByTime(500);
    expect(new Date().getTime()).toBe(1500);
    vi.setSystemTime(new Date(2020, 1, 1));
    expect(new Date().getFullYear()).toBe(2020);
    expect(vi.isFakeTimers()).toBe(true);
  });
  test("async", async () => {
    vi.useFakeTimers();
    let n = 0;
    (async () => { for (let i = 0; i < 3; i++) { await new Promise((r) => setTimeout(r, 100)); n++; } })();
    await vi.advanceTimersByTimeAsync(300);
    expect(n).toBe(3);
  });
  test("all", async () => {
    vi.useFakeTimers();
    const log = [];
    setTimeout(() => { log.push("a"); setTimeout(() => log.push("b"), 10); }, 10);
    setImmediate(() => log.push("i"));
    vi.runAllTimers();
    expect(log).toEqual(["i", "a", "b"]);
  });
  test("only pending", () => {
    vi.useFakeTimers();
    const log = [];
    setTimeout(() => { log.push("a"); setTimeout(() => log.push("b"), 10); }, 10);
    vi.runOnlyPendingTimers();
    expect(log).toEqual(["a"]);
    vi.advanceTimersToNextTimer();
    expect(log).toEqual(["a", "b"]);
  });
  test("endless", () => { vi.useFakeTimers({ loopLimit: 10 }); setInterval(() => {}, 1); vi.runAllTimers(); });
  test("not faked", () => { vi.advanceTimersByTime(1); });
  test("system time alone", () => { vi.setSystemTime(5); expect(Date.now()).toBe(5); vi.useRealTimers(); expect(Date.now()).toBeGreaterThan(5); });
  test("waitFor", async () => { let n = 0; expect(await vi.waitFor(() => { if (++n < 3) throw new Error("no"); return n; })).toBe(3); });
  test("waitFor fails", async () => { await vi.waitFor(() => { throw new Error("never"); }, { timeout: 100, interval: 20 }); });
  test("waitUntil fails", async () => { await vi.waitUntil(() => false, { timeout: 100, interval: 20 }); });
  test("poll", async () => { let n = 0; await expect.poll(() => ++n).toBe(3); });
  test("poll fails", async () => { await expect.poll(() => 1, { timeout: 100, interval: 20 }).toBe(2); });
});
describe("stubs", () => {
  test("global", () => { vi.stubGlobal("xyz", 1); expect(xyz).toBe(1); vi.unstubAllGlobals(); expect(typeof xyz).toBe("undefined"); });
  test("env", () => { vi.stubEnv("ABC", "1"); expect(process.env.ABC).toBe("1"); vi.unstubAllEnvs(); expect(process.env.ABC).toBeUndefined(); });
});
