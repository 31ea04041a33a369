import { backoff, purposeOf, retries } from "./retry";
import { isPurpose, mistakes, type Batch, type FactProcessing, type Projection, type Purpose, type Webhook } from "./schemas";
import { Facts } from "./stores";

export { Facts };

interface Env {
  WEBHOOKS: Queue;
  PROJECTIONS: Queue;
  FACT_PROCESSING: Queue;
  BATCH: Queue;
  BATCH_ABC: Queue;
  CUSTOMER: Fetcher;
  FACTS: DurableObjectNamespace<Facts>;
  PAYLOADS: R2Bucket;
}

type Message = Record<string, any>;

const facts = (env: Env) => env.FACTS.getByName("all");

function queueFor(env: Env, purpose: Purpose, tenant: string): Queue {
  switch (purpose) {
    case "webhooks": return env.WEBHOOKS;
    case "projections": return env.PROJECTIONS;
    case "fact-processing": return env.FACT_PROCESSING;
    case "batch": return tenant === "abc" ? env.BATCH_ABC : env.BATCH;
  }
}

/** A message may have 128,000 bytes. A bigger payload is stored, and the message carries a reference to it. */
async function pack(env: Env, message: Message): Promise<Message> {
  const text = JSON.stringify(message);
  if (new TextEncoder().encode(text).length <= 127_000) return message;
  const id = crypto.randomUUID();
  await env.PAYLOADS.put(id, text);
  return { payload_ref: `r2://z0-payloads/${id}` };
}

async function unpack(env: Env, body: Message): Promise<[Message, () => Promise<void>]> {
  if (!body.payload_ref) return [body, async () => {}];
  const id = body.payload_ref.replace("r2://z0-payloads/", "");
  const object = await env.PAYLOADS.get(id);
  if (object === null) throw new Error(`payload ${id} is gone`);
  return [await object.json(), () => env.PAYLOADS.delete(id)];
}

/** The simulated trouble: a message fails as often as its payload says. */
async function attempt(env: Env, key: string, fail = 0): Promise<void> {
  if ((await facts(env).attempt(key)) < fail) throw new Error(`${key} is not ready`);
}

const handlers: Record<Purpose, (env: Env, m: any) => Promise<void>> = {
  async webhooks(env, m: Webhook) {
    await facts(env).attempt(m.fact_id);
    const answer = await env.CUSTOMER.fetch("https://customer.example/hook", {
      method: "POST",
      body: JSON.stringify(m),
      headers: { "Idempotency-Key": `${m.webhook_config_id}:${m.webhook_config_version}:${m.fact_id}` },
    });
    if (!answer.ok) throw new Error(`the endpoint answered ${answer.status}`);
    await facts(env).add({ fact_id: `${m.fact_id}-sent`, type: "webhook_sent", trace_id: m.trace_id });
  },
  async projections(env, m: Projection) {
    await attempt(env, m.fact_id, m.payload.fail);
    await facts(env).project(m.fact_id, m.entity_id);
  },
  async "fact-processing"(env, m: FactProcessing) {
    const derived = `${m.fact_id}-${m.processing_type}`;
    if (await facts(env).has(derived)) return;
    await attempt(env, m.fact_id, m.payload.fail);
    await facts(env).add({ fact_id: derived, type: m.processing_type });
  },
  async batch(env, m: Batch) {
    await attempt(env, m.batch_id, m.payload?.fail);
    for (let i = 0; i < m.items.length; i++) await facts(env).finish(m.batch_id, m.offset + i);
  },
};

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, what, name = ""] = new URL(request.url).pathname.split("/");
    if (request.method === "GET") {
      switch (what) {
        case "facts": return Response.json(await facts(env).list());
        case "attempts": return Response.json(await facts(env).attempts(name));
        case "retries": return Response.json(retries);
        default: return Response.json({ ...(await facts(env).counts()), payloads: (await env.PAYLOADS.list()).objects.length });
      }
    }
    const body = await request.json<Message>();
    if (what === "webhook") {
      // A fact is recorded, and the queue carries it out: Fact(webhook_triggered) → queue → endpoint → Fact(webhook_sent).
      const fact_id = crypto.randomUUID();
      const trace_id = request.headers.get("X-Trace-Id") ?? crypto.randomUUID();
      await facts(env).add({ fact_id, type: "webhook_triggered", trace_id });
      const message: Webhook = {
        webhook_config_id: body.webhook_config_id, webhook_config_version: 1, fact_id, fact_type: "webhook_triggered",
        tenant_id: body.tenant_id, payload: body.payload, attempt: 0, first_attempted_at: new Date().toISOString(), trace_id,
      };
      await env.WEBHOOKS.send(message);
      return Response.json({ fact_id, trace_id }, { status: 202 });
    }
    if (what !== "send" || !isPurpose(name)) return new Response("POST /webhook or /send/{purpose}", { status: 404 });
    const wrong = mistakes(name, body);
    if (wrong.length > 0) return Response.json({ error: `missing or wrong: ${wrong.join(", ")}` }, { status: 400 });
    await queueFor(env, name, body.tenant_id).send(await pack(env, body));
    return new Response(null, { status: 202 });
  },

  /** Handles all messages in parallel and settles each by itself, so that one failure does not retry the others. */
  async queue(batch: MessageBatch<Message>, env: Env): Promise<void> {
    const purpose = purposeOf(batch.queue);
    const results = await Promise.allSettled(batch.messages.map(async (message) => {
      const [body, processed] = await unpack(env, message.body);
      await handlers[purpose](env, body);
      await processed();
    }));
    results.forEach((result, i) => {
      const message = batch.messages[i];
      if (result.status === "fulfilled") return message.ack();
      console.warn(`${batch.queue} ${message.id} attempt ${message.attempts}: ${result.reason.message}`);
      message.retry({ delaySeconds: backoff(purpose, message.attempts) });
    });
  },
};
