// The suite without the hour's delay, which needs a clock that can be moved: what Cloudflare's integration can express of
// it. It asks every 10 ms whether the message is a dead letter.
import { env } from "cloudflare:test";
import { expect, it, vi } from "vitest";

for (let i = 0; i < 25; i++)
  it(`order ${i} ends as a dead letter`, async () => {
    const name = `order ${i} of ${import.meta.url}`;
    const order = env.ORDERS.get(env.ORDERS.idFromName(name));
    await order.create(name);
    const state = await vi.waitUntil(
      async () => {
        const now = await order.state();
        return now.dead && now;
      },
      { timeout: 30_000, interval: 10 },
    );
    expect(state).toEqual({ name, attempts: 2, dead: name });
  });
