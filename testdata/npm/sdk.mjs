// The official SDK sends every queue call of H-2 (T-1).
import assert from "node:assert/strict";
import Cloudflare from "cloudflare";
import { start } from "./session.mjs";

const account = { account_id: "any" };

/** The error of a call that must fail. */
async function refusal(promise) {
  try {
    await promise;
  } catch (e) {
    return e;
  }
  throw new Error("the call succeeded");
}

const decode = (body) => JSON.parse(Buffer.from(body, "base64").toString());

export async function run(test) {
  const session = await start("workers/queues.jsonc");
  const client = new Cloudflare({ apiToken: "any", baseURL: session.api, maxRetries: 0 });
  const { queues } = client;
  let q;
  await test("create, get, list by name, update, edit (H-2, H-3, T-4)", async () => {
    q = await queues.create({ ...account, queue_name: "sdk", settings: { delivery_delay: 7 } });
    assert.equal(q.queue_name, "sdk");
    assert.deepEqual(q.settings, { delivery_delay: 7, delivery_paused: false, message_retention_period: 345600 });
    assert.equal((await queues.get(q.queue_id, account)).queue_id, q.queue_id);
    const names = [];
    for await (const x of queues.list(account)) names.push(x.queue_name);
    assert.deepEqual(names, ["bound", "sdk"]);
    const edited = await queues.edit(q.queue_id, { ...account, settings: { message_retention_period: 3600 } });
    assert.deepEqual(edited.settings, { delivery_delay: 7, delivery_paused: false, message_retention_period: 3600 });
    const replaced = await queues.update(q.queue_id, { ...account, queue_name: "sdk-2", settings: {} });
    assert.equal(replaced.queue_name, "sdk-2");
    assert.deepEqual(replaced.settings, { delivery_delay: 0, delivery_paused: false, message_retention_period: 345600 });
  });
  await test("refusals map to the SDK's classes (H-1, H-17, H-19, K-9)", async () => {
    const missing = await refusal(queues.get("0".repeat(32), account));
    assert.ok(missing instanceof Cloudflare.NotFoundError);
    assert.equal(missing.errors[0].code, 11000);
    const taken = await refusal(queues.create({ ...account, queue_name: "sdk-2" }));
    assert.ok(taken instanceof Cloudflare.ConflictError);
    const range = await refusal(queues.edit(q.queue_id, { ...account, settings: { delivery_delay: 86401 } }));
    assert.ok(range instanceof Cloudflare.BadRequestError);
    assert.equal(range.errors[0].code, 100128);
    const [bound] = (await queues.list({ ...account })).result.filter((x) => x.queue_name === "bound");
    assert.equal(bound.producers[0].script, "consumer");
    assert.equal((await refusal(queues.delete(bound.queue_id, account))).errors[0].code, 11005);
  });
  await test("pull needs an http_pull consumer; a queue has one (H-8, D-11)", async () => {
    assert.ok((await refusal(queues.messages.pull(q.queue_id, account))) instanceof Cloudflare.BadRequestError);
    const c = await queues.consumers.create(q.queue_id, {
      ...account, type: "http_pull", dead_letter_queue: "sdk-dlq", settings: { max_retries: 1, visibility_timeout_ms: 60000 },
    });
    assert.equal(c.type, "http_pull");
    assert.deepEqual(c.settings, { batch_size: 5, max_retries: 1, retry_delay: 0, visibility_timeout_ms: 60000 });
    assert.equal((await queues.consumers.get(c.consumer_id, { ...account, queue_id: q.queue_id })).consumer_id, c.consumer_id);
    const second = await refusal(queues.consumers.create(q.queue_id, { ...account, type: "worker", script_name: "consumer" }));
    assert.equal(second.errors[0].code, 11004);
    const list = [];
    for await (const x of queues.consumers.list(q.queue_id, account)) list.push(x.consumer_id);
    assert.deepEqual(list, [c.consumer_id]);
    const updated = await queues.consumers.update(c.consumer_id, {
      ...account, queue_id: q.queue_id, type: "http_pull", dead_letter_queue: "sdk-dlq", settings: { max_retries: 1, batch_size: 3 },
    });
    assert.equal(updated.settings.batch_size, 3);
    const bad = await refusal(queues.consumers.update(c.consumer_id, { ...account, queue_id: q.queue_id, type: "http_pull", settings: { batch_size: 101 } }));
    assert.equal(bad.errors[0].code, 100127);
  });
  await test("push, bulk push, metrics (H-6, P-23)", async () => {
    await queues.messages.push(q.queue_id, { ...account, body: { greeting: "hello" } });
    await queues.messages.push(q.queue_id, { ...account, body: "plain", content_type: "text" });
    const res = await queues.messages.bulkPush(q.queue_id, { ...account, messages: [{ body: 1 }, { body: "later", content_type: "text", delay_seconds: 3600 }] });
    assert.equal(res.metadata.metrics.backlog_count, 2);
    const m = await queues.getMetrics(q.queue_id, account);
    assert.equal(m.backlog_count, 4);
    assert.ok(m.oldest_message_timestamp_ms > 0);
    const big = await refusal(queues.messages.push(q.queue_id, { ...account, body: "x".repeat(128001), content_type: "text" }));
    assert.equal(big.errors[0].code, 10204);
    const empty = await refusal(queues.messages.bulkPush(q.queue_id, { ...account, messages: [] }));
    assert.equal(empty.errors[0].code, 10207);
  });
  await test("peek has no effect; purge by ref (H-16)", async () => {
    const peeked = await client.post(`/accounts/any/queues/${q.queue_id}/messages/peek`, { body: { batch_size: 10 } });
    assert.equal(peeked.result.messages.length, 4);
    const one = peeked.result.messages.find((m) => m.body === Buffer.from("1").toString("base64"));
    assert.equal(one.attempts, 0);
    const purged = await client.post(`/accounts/any/queues/${q.queue_id}/messages/purge`, { body: { refs: [{ ref: one.ref }] } });
    assert.deepEqual(purged.result, { errors: [], warnings: {} });
  });
  await test("pull, ack, retry until the dead letter queue (H-9 to H-14, X-7)", async () => {
    const first = await queues.messages.pull(q.queue_id, { ...account, batch_size: 10 });
    assert.equal(first.messages.length, 2);
    assert.equal(first.message_backlog_count, 3);
    const [json, text] = first.messages;
    assert.deepEqual(decode(json.body), { greeting: "hello" });
    assert.equal(json.metadata["CF-Content-Type"], "json");
    assert.equal(text.body, "plain");
    assert.equal(text.attempts, 1);
    const settled = await queues.messages.ack(q.queue_id, { ...account, acks: [{ lease_id: json.lease_id }], retries: [{ lease_id: text.lease_id }] });
    assert.deepEqual(settled, { ackCount: 1, retryCount: 1, warnings: {} });
    const again = await queues.messages.pull(q.queue_id, account);
    assert.deepEqual(again.messages.map((m) => [m.id, m.attempts]), [[text.id, 2]]);
    await queues.messages.ack(q.queue_id, { ...account, retries: [{ lease_id: again.messages[0].lease_id }] });
    const [dlq] = (await queues.list(account)).result.filter((x) => x.queue_name === "sdk-dlq");
    assert.equal((await queues.getMetrics(dlq.queue_id, account)).backlog_count, 1);
  });
  await test("a paused queue answers 409 (D-17)", async () => {
    await queues.edit(q.queue_id, { ...account, settings: { delivery_paused: true } });
    const paused = await refusal(queues.messages.pull(q.queue_id, account));
    assert.ok(paused instanceof Cloudflare.ConflictError);
    assert.equal(paused.errors[0].message, "queue_delivery_paused");
    await queues.edit(q.queue_id, { ...account, settings: { delivery_paused: false } });
  });
  await test("purge (D-18)", async () => {
    await queues.purge.start(q.queue_id, { ...account, delete_messages_permanently: true });
    assert.equal((await queues.purge.status(q.queue_id, account)).completed, "true");
    assert.equal((await queues.getMetrics(q.queue_id, account)).backlog_count, 0);
  });
  await test("event subscriptions (H-23)", async () => {
    const s = await queues.subscriptions.create({
      ...account, name: "kv events", enabled: true, source: { type: "kv" }, destination: { type: "queues.queue", queue_id: q.queue_id }, events: ["namespace.created"],
    });
    assert.equal((await queues.subscriptions.get(s.id, account)).name, "kv events");
    assert.equal((await queues.subscriptions.update(s.id, { ...account, enabled: false })).enabled, false);
    const list = [];
    for await (const x of queues.subscriptions.list(account)) list.push(x.id);
    assert.deepEqual(list, [s.id]);
    await queues.subscriptions.delete(s.id, account);
    assert.ok((await refusal(queues.subscriptions.get(s.id, account))) instanceof Cloudflare.NotFoundError);
  });
  await test("a worker consumer made by the API consumes at once (D-19)", async () => {
    const w = await queues.create({ ...account, queue_name: "late" });
    await queues.messages.push(w.queue_id, { ...account, body: { n: 1 } });
    assert.equal((await refusal(queues.consumers.create(w.queue_id, { ...account, type: "worker", script_name: "nobody" }))).errors[0].code, 10007);
    const c = await queues.consumers.create(w.queue_id, { ...account, type: "worker", script_name: "consumer", settings: { max_wait_time_ms: 0 } });
    await session.line((l) => l.msg === 'consumed late {"n":1}');
    await queues.consumers.delete(c.consumer_id, { ...account, queue_id: w.queue_id });
    await queues.delete(w.queue_id, account);
    await queues.delete(q.queue_id, account);
    assert.ok((await refusal(queues.get(q.queue_id, account))) instanceof Cloudflare.NotFoundError);
  });
  await session.stop();
}
