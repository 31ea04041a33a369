import { DurableObject } from "cloudflare:workers";

/** A message of the queue. */
export interface Visit {
  page: string;
}

/** Counts the visits of one page: each page has an object of its own. */
export class Counter extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS visits (message TEXT PRIMARY KEY)");
  }

  /** A message may be delivered more than once. Its id is stored, so that it counts once. */
  add(message: string): void {
    this.ctx.storage.sql.exec("INSERT OR IGNORE INTO visits VALUES (?)", message);
  }

  count(): number {
    return this.ctx.storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM visits").one().n;
  }
}

export default {
  async fetch(request, env) {
    const page = new URL(request.url).pathname;
    if (request.method === "POST") {
      await env.VISITS.send({ page } satisfies Visit);
      return new Response("queued\n", { status: 202 });
    }
    return Response.json({ page, visits: await env.COUNTER.getByName(page).count() });
  },

  async queue(batch, env) {
    for (const message of batch.messages) {
      try {
        await env.COUNTER.getByName(message.body.page).add(message.id);
        message.ack();
      } catch (error) {
        console.error("A visit was not counted:", error);
        message.retry();
      }
    }
  },
} satisfies ExportedHandler<Env, Visit>;
