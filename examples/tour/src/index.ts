import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
import { DOQueueProducer, createDOQueue } from "@cloudflare-boilerplate/do-queue";

/** Counts, keeps what it counted, and writes a line when its alarm fires. */
export class Counter extends DurableObject<Env> {
  add(n: number): number {
    const { sql } = this.ctx.storage;
    sql.exec("CREATE TABLE IF NOT EXISTS counts (at INTEGER, n INTEGER)");
    sql.exec("INSERT INTO counts VALUES (?, ?)", Date.now(), n);
    this.ctx.storage.put("last", n);
    this.ctx.storage.setAlarm(Date.now() + 3_600_000);
    return sql.exec<{ sum: number }>("SELECT sum(n) AS sum FROM counts").one().sum;
  }

  /** Takes back what happened in the last minute. */
  async undo(): Promise<void> {
    const before = await this.ctx.storage.getBookmarkForTime(Date.now() - 60_000);
    await this.ctx.storage.onNextSessionRestoreBookmark(before);
    this.ctx.abort();
  }

  alarm() {
    console.log("an hour without a count");
  }
}

/** FIFO lanes: messages of one key stay in order. */
export const MailQueue = createDOQueue({
  async queue(batch) {
    for (const message of batch.messages) {
      if (message.body.to === "nobody") message.retry({ delaySeconds: 60 });
      else console.log("mail to", message.body.to);
    }
  },
});

/** Another Worker's part, reached by RPC. */
export class Prices extends WorkerEntrypoint {
  of(title: string): number {
    return title.length * 2;
  }
}

export default {
  async fetch(request, env): Promise<Response> {
    const url = new URL(request.url);
    const [, what, name = "one"] = url.pathname.split("/");
    const { success } = await env.LIMIT.limit({ key: what });
    if (!success) return new Response("too often\n", { status: 429 });
    switch (what) {
      case "":
        return new Response(`${env.GREETING} from ${env.VERSION.id.slice(0, 8)}, theme ${(await env.SETTINGS.get("theme")) ?? "light"}\n`);
      case "count":
        env.VISITS.writeDataPoint({ indexes: [name] });
        return Response.json({ count: await env.COUNTER.getByName(name).add(1) });
      case "books": {
        const { results } = await env.SHOP.prepare("SELECT title FROM books ORDER BY id").all<{ title: string }>();
        return Response.json(await Promise.all(results.map(async ({ title }) => ({ title, price: await env.PRICES.of(title) }))));
      }
      case "pictures":
        if (request.method === "PUT") await env.PICTURES.put(name, request.body);
        return new Response((await env.PICTURES.get(name))?.body ?? "no picture\n");
      case "jobs":
        await env.JOBS.send(await request.json());
        return new Response("queued\n", { status: 202 });
      case "outbox":
        await env.OUTBOX.send({ n: 1 });
        return new Response("queued\n", { status: 202 });
      case "mail": {
        const { user, to } = await request.json<{ user: string; to: string }>();
        await new DOQueueProducer(env.MAIL_DO, "mail").send({ to }, { key: user });
        return new Response("queued\n", { status: 202 });
      }
    }
    return env.ASSETS.fetch(request);
  },

  async queue(batch, env): Promise<void> {
    for (const message of batch.messages) {
      if (!message.body.city) throw new TypeError("a job needs a city");
      console.log("weather for", message.body.city);
      message.ack();
    }
  },

  scheduled(controller) {
    console.log("cron", controller.cron);
  },

  tail(events) {
    const failed = events.filter((event) => event.outcome !== "ok" && event.outcome !== "canceled");
    if (failed.length > 0) console.log("tail heard of a failure:", failed[0].outcome);
  },
} satisfies ExportedHandler<Env, { city?: string }>;

interface Env {
  GREETING: string;
  TOKEN: string;
  ASSETS: Fetcher;
  SETTINGS: KVNamespace;
  SHOP: D1Database;
  PICTURES: R2Bucket;
  COUNTER: DurableObjectNamespace<Counter>;
  MAIL_DO: DurableObjectNamespace;
  JOBS: Queue;
  OUTBOX: Queue;
  PRICES: Service<Prices>;
  LIMIT: RateLimit;
  VISITS: AnalyticsEngineDataset;
  VERSION: WorkerVersionMetadata;
}
