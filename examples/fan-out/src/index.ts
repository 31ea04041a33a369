import { DurableObject } from "cloudflare:workers";

interface Env {
  FEEDS: string[];
  FEEDS_QUEUE: Queue<{ feed: string; run: number }>;
  LEDGER: DurableObjectNamespace<Ledger>;
}

/** Keeps each feed once per run, however often its message is delivered. */
export class Ledger extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS done (feed TEXT, run INTEGER, attempts INTEGER, PRIMARY KEY (feed, run))");
  }
  record(feed: string, run: number, attempts: number): boolean {
    return this.ctx.storage.sql.exec("INSERT OR IGNORE INTO done VALUES (?, ?, ?)", feed, run, attempts).rowsWritten > 0;
  }
  list() {
    return this.ctx.storage.sql.exec("SELECT feed, run, attempts FROM done ORDER BY run, feed").toArray();
  }
}

export default {
  async scheduled(controller: ScheduledController, env: Env): Promise<void> {
    const run = controller.scheduledTime;
    // Each feed gets a message of its own, a minute after the one before, so that the feeds are not fetched all at once.
    await env.FEEDS_QUEUE.sendBatch(env.FEEDS.map((feed, i) => ({ body: { feed, run }, delaySeconds: i * 60 })));
  },
  // How often a message had to be delivered may differ: eddy replay --chaos does not compare it.
  // eddy-chaos-ignore objects.Ledger.*.attempts
  async queue(batch: MessageBatch<{ feed: string; run: number }>, env: Env): Promise<void> {
    const ledger = env.LEDGER.getByName("feeds");
    for (const message of batch.messages) {
      const { feed, run } = message.body;
      if (feed === "beta" && message.attempts === 1) {
        message.retry(); // the first fetch of beta always fails
        continue;
      }
      await ledger.record(feed, run, message.attempts);
      message.ack();
    }
  },
  async fetch(_request: Request, env: Env): Promise<Response> {
    return Response.json(await env.LEDGER.getByName("feeds").list());
  },
};
