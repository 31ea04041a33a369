import { DurableObject } from "cloudflare:workers";
import { consume, envelope, type Envelope } from "../shared/envelope";
import type { Renderer } from "../publisher/index";

interface Env {
  RESEARCH_QUEUE: Queue<Envelope>;
  PUBLISH_QUEUE: Queue<Envelope>;
  SOCIAL_QUEUE: Queue<Envelope>;
  EVENTS_QUEUE: Queue<Envelope>;
  RENDERER: Service<Renderer>;
  JOURNAL: DurableObjectNamespace<Journal>;
}

/** Remembers which events were processed, so that a second delivery changes nothing. */
export class Journal extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS processed_events (event_id TEXT PRIMARY KEY, type TEXT, source TEXT, processed_at INTEGER)");
  }
  known(id: string): boolean {
    return this.ctx.storage.sql.exec("SELECT 1 FROM processed_events WHERE event_id = ?", id).toArray().length > 0;
  }
  record(e: Envelope) {
    this.ctx.storage.sql.exec("INSERT OR IGNORE INTO processed_events VALUES (?, ?, ?, ?)", e.event_id, e.type, e.source, Date.now());
  }
  counts(): Record<string, number> {
    const rows = this.ctx.storage.sql.exec<{ type: string; n: number }>("SELECT type, count(*) AS n FROM processed_events GROUP BY type ORDER BY type");
    return Object.fromEntries(rows.toArray().map((r) => [r.type, r.n]));
  }
}

const me = "strategist";

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    const journal = env.JOURNAL.getByName("all");
    if (request.method === "GET") return Response.json(await journal.counts());
    if (url.pathname === "/replay") {
      // For the test of idempotence: the same event, sent twice.
      const e = await request.json<Envelope>();
      await env.EVENTS_QUEUE.sendBatch([{ body: e }, { body: e }]);
      return new Response(null, { status: 202 });
    }
    const { keywords } = await request.json<{ keywords: string[] }>();
    // Fan-out at the producer: one message a keyword, each with its own retry and event_id.
    const commands = keywords.map((keyword) => envelope(me, "research.requested", { keyword }));
    await env.RESEARCH_QUEUE.sendBatch(commands.map((body) => ({ body })));
    for (const c of commands) await journal.record(c);
    return Response.json({ correlation_ids: commands.map((c) => c.event_id) }, { status: 202 });
  },

  async queue(batch: MessageBatch<Envelope>, env: Env): Promise<void> {
    const journal = env.JOURNAL.getByName("all");
    const once = (handle: (e: Envelope<any>) => Promise<void>) => async (e: Envelope) => {
      if (await journal.known(e.event_id)) return;
      await handle(e);
      await journal.record(e);
    };
    await consume(batch, {
      "research.completed": once(async (e) => {
        const draft = await env.RENDERER.render(e.payload.keyword);
        await env.EVENTS_QUEUE.send(envelope(me, "content.generated", { keyword: e.payload.keyword, draft }, e));
      }),
      "content.generated": once(async (e) => {
        const publish = envelope(me, "content.publish", e.payload, e);
        const social = envelope(me, "social.post", e.payload, e);
        await Promise.all([env.PUBLISH_QUEUE.send(publish), env.SOCIAL_QUEUE.send(social)]);
        await Promise.all([journal.record(publish), journal.record(social)]);
      }),
      "content.published": once(async () => {}),
      "social.posted": once(async () => {}),
    });
  },
};
