import { DurableObject } from "cloudflare:workers";
import type { Envelope } from "../shared/envelope";

interface Env {
  RESEARCH_QUEUE: Queue<Envelope>;
  PUBLISH_QUEUE: Queue<Envelope>;
  SOCIAL_QUEUE: Queue<Envelope>;
  STRATEGY_QUEUE: Queue<Envelope>;
  EVENTS_QUEUE: Queue<Envelope>;
  MORGUE: DurableObjectNamespace<Morgue>;
}

type Resolution = "replayed" | "discarded" | "fixed";

interface Dead extends Record<string, SqlStorageValue> {
  event_id: string;
  queue: string;
  type: string;
  source: string;
  payload: string;
  attempts: number;
  failed_at: number;
  replayed_at: number | null;
  resolution: Resolution | null;
}

const day = 24 * 3600 * 1000;

/** Keeps messages that failed for good, until somebody decides what to do with them. */
export class Morgue extends DurableObject<Env> {
  #sql = this.ctx.storage.sql;
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql.exec(`CREATE TABLE IF NOT EXISTS dead_messages (
      event_id TEXT PRIMARY KEY, queue TEXT, type TEXT, source TEXT, payload TEXT, attempts INTEGER, failed_at INTEGER,
      replayed_at INTEGER, resolution TEXT)`);
  }
  // eddy-chaos-ignore objects.Morgue.*.attempts objects.Morgue.*.failed_at
  bury(queue: string, e: Envelope, attempts: number): void {
    this.#sql.exec("INSERT OR IGNORE INTO dead_messages VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
      e.event_id, queue, e.type, e.source, JSON.stringify(e.payload), attempts, Date.now());
  }
  list(): Dead[] {
    return this.#sql.exec<Dead>("SELECT * FROM dead_messages ORDER BY failed_at, event_id").toArray();
  }
  waiting(): Dead[] {
    return this.#sql.exec<Dead>("SELECT * FROM dead_messages WHERE replayed_at IS NULL ORDER BY failed_at, event_id LIMIT 10").toArray();
  }
  resolve(id: string, resolution: Resolution): void {
    this.#sql.exec("UPDATE dead_messages SET replayed_at = ?, resolution = ? WHERE event_id = ?", Date.now(), resolution, id);
  }
  lastDay() {
    return this.#sql.exec("SELECT queue, type, count(*) AS n FROM dead_messages WHERE failed_at > ? GROUP BY queue, type", Date.now() - day).toArray();
  }
}

function sourceOf(env: Env, deadLetterQueue: string): Queue<Envelope> {
  switch (deadLetterQueue.replace(/-dlq$/, "")) {
    case "gatherfeed-commands": return env.RESEARCH_QUEUE;
    case "publish-commands": return env.PUBLISH_QUEUE;
    case "social-commands": return env.SOCIAL_QUEUE;
    case "sm-commands": return env.STRATEGY_QUEUE;
    default: return env.EVENTS_QUEUE;
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const morgue = env.MORGUE.getByName("all");
    const { pathname } = new URL(request.url);
    if (pathname === "/health") return Response.json(await morgue.lastDay());
    if (request.method === "GET") return Response.json(await morgue.list());
    // The oldest ten go back, as new events that remember the old one.
    let n = 0;
    for (const d of await morgue.waiting()) {
      await sourceOf(env, d.queue).send({
        event_id: crypto.randomUUID(), type: d.type, source: d.source, timestamp: new Date().toISOString(),
        correlation_id: `replay-${d.event_id}`, payload: JSON.parse(d.payload),
      });
      await morgue.resolve(d.event_id, "replayed");
      n++;
    }
    return Response.json({ replayed: n });
  },

  /** What cannot be buried comes again. batch.queue is the name of the dead letter queue, and attempts begins at 1 again. */
  async queue(batch: MessageBatch<Envelope>, env: Env): Promise<void> {
    const morgue = env.MORGUE.getByName("all");
    for (const message of batch.messages) {
      await morgue.bury(batch.queue, message.body, message.attempts);
      console.error(`dead letter in ${batch.queue}: ${message.body.type} ${message.body.event_id}`);
      message.ack();
    }
  },
};
