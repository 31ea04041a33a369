import { DurableObject } from "cloudflare:workers";
import { consume, envelope, type Envelope } from "../shared/envelope";
import type { Renderer } from "../publisher/index";

interface Env {
  RESEARCH_QUEUE: Queue<Envelope>;
  PUBLISH_QUEUE: Queue<Envelope>;
  SOCIAL_QUEUE: Queue<Envelope>;
  STRATEGY_QUEUE: Queue<Envelope>;
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
  // eddy-chaos-ignore objects.Journal.*.processed_at
  record(e: Envelope) {
    this.ctx.storage.sql.exec("INSERT OR IGNORE INTO processed_events VALUES (?, ?, ?, ?)", e.event_id, e.type, e.source, Date.now());
  }
  /** Forgets events that are older than a week, because no duplicate comes so late. */
  prune(): number {
    return this.ctx.storage.sql.exec("DELETE FROM processed_events WHERE processed_at < ?", Date.now() - 7 * 24 * 3600 * 1000).rowsWritten;
  }
  health() {
    const { sql } = this.ctx.storage;
    return {
      last_hour: sql.exec("SELECT type, count(*) AS n FROM processed_events WHERE processed_at > ? GROUP BY type ORDER BY type", Date.now() - 3_600_000).toArray(),
      per_minute: sql.exec("SELECT processed_at / 60000 AS minute, count(*) AS n FROM processed_events WHERE processed_at > ? GROUP BY minute ORDER BY minute", Date.now() - 1_800_000).toArray(),
    };
  }
  counts(): Record<string, number> {
    const rows = this.ctx.storage.sql.exec<{ type: string; n: number }>("SELECT type, count(*) AS n FROM processed_events GROUP BY type ORDER BY type");
    return Object.fromEntries(rows.toArray().map((r) => [r.type, r.n]));
  }
}

const me = "strategist";

interface Campaign {
  keywords: string[];
  /** Seconds between one keyword and the next. */
  stagger?: number;
}

/** Fan-out at the producer: one message a keyword, each with its own retry and event_id. */
async function start(env: Env, { keywords, stagger = 0 }: Campaign, cause?: Envelope): Promise<string[]> {
  const commands = await Promise.all(keywords.map((keyword, i) => envelope(me, "research.requested", { keyword }, cause, `${i}`)));
  await env.RESEARCH_QUEUE.sendBatch(commands.map((body, i) => ({ body, delaySeconds: i * stagger })));
  for (const c of commands) await env.JOURNAL.getByName("all").record(c);
  return commands.map((c) => c.event_id);
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    const journal = env.JOURNAL.getByName("all");
    if (url.pathname === "/health") return Response.json(await journal.health());
    if (request.method === "GET") return Response.json(await journal.counts());
    if (url.pathname === "/replay") {
      // For the test of idempotence: the same event, sent twice.
      const e = await request.json<Envelope>();
      await env.EVENTS_QUEUE.sendBatch([{ body: e }, { body: e }]);
      return new Response(null, { status: 202 });
    }
    const campaign = await request.json<Campaign>();
    if (url.pathname === "/later") {
      const command = await envelope(me, "campaign.start", campaign);
      await env.STRATEGY_QUEUE.send(command, { delaySeconds: 3600 });
      return Response.json({ event_id: command.event_id }, { status: 202 });
    }
    return Response.json({ correlation_ids: await start(env, campaign) }, { status: 202 });
  },

  async scheduled(_: ScheduledController, env: Env): Promise<void> {
    console.log(`pruned ${await env.JOURNAL.getByName("all").prune()} events`);
  },

  async queue(batch: MessageBatch<Envelope>, env: Env): Promise<void> {
    const journal = env.JOURNAL.getByName("all");
    const once = (handle: (e: Envelope<any>) => Promise<void>) => async (e: Envelope) => {
      if (await journal.known(e.event_id)) return;
      await handle(e);
      await journal.record(e);
    };
    await consume(batch, {
      "campaign.start": once(async (e) => {
        await start(env, e.payload, e);
      }),
      "research.completed": once(async (e) => {
        const draft = await env.RENDERER.render(e.payload.keyword);
        await env.EVENTS_QUEUE.send(await envelope(me, "content.generated", { keyword: e.payload.keyword, draft }, e));
      }),
      "content.generated": once(async (e) => {
        const publish = await envelope(me, "content.publish", e.payload, e);
        const social = await envelope(me, "social.post", e.payload, e);
        await Promise.all([env.PUBLISH_QUEUE.send(publish), env.SOCIAL_QUEUE.send(social)]);
        await Promise.all([journal.record(publish), journal.record(social)]);
      }),
      "content.published": once(async () => {}),
      "social.posted": once(async () => {}),
    });
  },
};
