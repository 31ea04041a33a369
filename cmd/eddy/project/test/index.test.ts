import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import worker, { type Visit } from "../src";

const visits = (page: string) => env.COUNTER.getByName(page).count();

it("counts a visit that went through the queue", async () => {
  const answer = await exports.default.fetch("https://example.com/tea", { method: "POST" });
  expect(answer.status).toBe(202);
  await vi.waitUntil(async () => (await visits("/tea")) === 1, { timeout: 10_000 });
  const seen = await exports.default.fetch("https://example.com/tea");
  expect(await seen.json()).toEqual({ page: "/tea", visits: 1 });
}, 15_000);

it("counts a message once, however often it is delivered", async () => {
  const message = { id: "m1", timestamp: new Date(), attempts: 1, body: { page: "/coffee" } };
  for (let i = 0; i < 2; i++) {
    const batch = createMessageBatch<Visit>("visits", [message]);
    const ctx = createExecutionContext();
    await worker.queue(batch, env);
    expect((await getQueueResult(batch, ctx)).explicitAcks).toEqual(["m1"]);
  }
  expect(await visits("/coffee")).toBe(1);
});

it("tries a message again that cannot be counted", async () => {
  const batch = createMessageBatch<Visit>("visits", [
    { id: "m2", timestamp: new Date(), attempts: 1, body: null as unknown as Visit },
  ]);
  const ctx = createExecutionContext();
  await worker.queue(batch, env);
  expect((await getQueueResult(batch, ctx)).retryMessages).toMatchObject([{ msgId: "m2" }]);
});
