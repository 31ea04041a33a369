// The same suite, which asks every 50 ms and then at the next due event.
import { env } from "cloudflare:test";
import { expect, it, vi } from "vitest";

for (let i = 0; i < 25; i++)
  it(`order ${i} ends as a dead letter`, async () => {
    const name = `order ${i}`;
    const order = env.ORDERS.get(env.ORDERS.idFromName(name));
    const began = Date.now();
    await order.create(name);
    const state = await vi.waitUntil(async () => {
      const now = await order.state();
      return now.dead && now;
    });
    expect(state).toEqual({ name, attempts: 2, dead: name });
    expect(Date.now() - began).toBeGreaterThanOrEqual(3_600_000);
  });
