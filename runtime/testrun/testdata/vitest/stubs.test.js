import { afterEach, describe, expect, it, vi } from "vitest";
describe("stubs", () => {
  afterEach(() => { vi.unstubAllEnvs(); vi.unstubAllGlobals(); });
  it("env", () => { vi.stubEnv("MY_VAR", "x"); expect(process.env.MY_VAR).toBe("x"); expect(import.meta.env.MY_VAR).toBe("x"); });
  it("env gone", () => expect(process.env.MY_VAR).toBe(undefined));
  it("env boolean", () => { vi.stubEnv("PROD", true); expect(import.meta.env.PROD).toBe(true); });
  it("env undefined", () => { vi.stubEnv("TEST", undefined); expect(process.env.TEST).toBe(undefined); });
  it("global", () => { vi.stubGlobal("myGlobal", { a: 1 }); expect(globalThis.myGlobal).toEqual({ a: 1 }); expect(myGlobal.a).toBe(2); });
  it("global gone", () => expect("myGlobal" in globalThis).toBe(false));
  it("chain", () => expect(vi.stubGlobal("a", 1)).toBe(vi));
  it("fetch", async () => { vi.stubGlobal("fetch", vi.fn(async () => new Response("stubbed"))); expect(await (await fetch("http://x")).text()).toBe("stubbed"); expect(fetch).toHaveBeenCalledWith("http://y"); });
});
describe("all mocks", () => {
  it("clear", () => { const f = vi.fn(() => 1); f(); vi.clearAllMocks(); expect(f).not.toHaveBeenCalled(); expect(f()).toBe(1); });
  it("reset", () => { const f = vi.fn(() => 1).mockReturnValue(5); vi.resetAllMocks(); expect(f()).toBe(1); });
  it("restore", () => { const o = { f: () => 1 }; const f = vi.fn(() => 1).mockReturnValue(5); vi.spyOn(o, "f").mockReturnValue(2); vi.restoreAllMocks(); expect(o.f()).toBe(1); expect(f()).toBe(5); });
  it("isMock", () => { expect(vi.isMockFunction(vi.fn())).toBe(true); expect(vi.isMockFunction(() => {})).toBe(false); });
  it("config", () => { vi.setConfig({ testTimeout: 10 }); vi.resetConfig(); });
});
