import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
const at = new Date(1000);
const messages = [
  { id: "a", timestamp: at, attempts: 1, body: { n: 1 } },
  { id: "b", timestamp: at, attempts: 3, body: "two" },
];
async function handle(queue) {
  const batch = createMessageBatch("q", messages),
    ctx = createExecutionContext();
  await queue(batch, {}, ctx);
  return getQueueResult(batch, ctx);
}
