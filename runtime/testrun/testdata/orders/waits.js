// One file of the suite of orders: each test creates an object, which sends a message, whose consumer retries with an
// hour's delay until it is a dead letter. It waits for it with one timer.
import { env } from "cloudflare:test";
import { expect, it } from "vitest";

for (let i = 0; i < 25; i++)
  it(`order ${i} ends as a dead letter`, async () => {
    const name = `order ${i}`;
    const order = env.ORDERS.get(env.ORDERS.idFromName(name));
    const began = Date.now();
    await order.create(name);
    await scheduler.wait(3_600_001);
    expect(await order.state()).toEqual({ name, attempts: 2, dead: name });
    expect(Date.now() - began).toBe(3_600_001);
  });
