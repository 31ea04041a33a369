import { describe, expect, it, vi } from "vitest";
describe("waiting", () => {
  it("waitFor", async () => { let n = 0; const v = await vi.waitFor(() => { if (++n < 3) throw new Error("not yet"); return n; }, { interval: 5 }); expect(v).toBe(3); });
  it("waitFor fails", async () => { await vi.waitFor(() => { throw new Error("never"); }, { timeout: 60, interval: 10 }); });
  it("waitFor promise", async () => { await vi.waitFor(async () => { expect(1).toBe(2); }, 50); });
  it("waitUntil", async () => { let n = 0; expect(await vi.waitUntil(() => ++n > 2 && "yes", { interval: 5 })).toBe("yes"); });
  it("waitUntil fails", async () => { await vi.waitUntil(() => false, { timeout: 60, interval: 10 }); });
  it("waitUntil throws", async () => { await vi.waitUntil(() => { throw new TypeError("at once"); }); });
  it("poll", async () => { let n = 0; await expect.poll(() => ++n, { interval: 5 }).toBe(3); });
  it("poll fails", async () => { await expect.poll(() => 1, { timeout: 60, interval: 10 }).toBe(3); });
  it("poll rejects", async () => { await expect.poll(async () => { throw new Error("in poll"); }, { timeout: 60, interval: 10 }).toBe(3); });
  it("poll message", async () => { await expect.poll(() => [1], { timeout: 60, interval: 10, message: "my poll" }).toEqual([2]); });
});
describe("soft", () => {
  it("several", () => { expect.soft(1).toBe(2); expect.soft("a").toBe("b"); expect(3).toBe(4); });
  it("one", () => { expect.soft({ a: 1 }).toEqual({ a: 2 }); });
  it("then throws", () => { expect.soft(1).toBe(2); throw new Error("thrown after"); });
  it("passes", () => { expect.soft(1).toBe(1); });
});
