import { DurableObject, WorkerEntrypoint, WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
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

/** Goes on where it was after a crash. */
export class Shipping extends WorkflowEntrypoint<Env, { city: string }> {
  async run(event: WorkflowEvent<{ city: string }>, step: WorkflowStep) {
    const label = await step.do("label", async () => `to ${event.payload.city}`);
    await step.sleep("the carrier", "1 second");
    return step.do("hand over", async () => `${label}, handed over`);
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
      case "signature": {
        // Never the secret itself: what it signs.
        const key = new TextEncoder().encode(await env.API_KEY.get());
        const hmac = { name: "HMAC", hash: "SHA-256" };
        const imported = await crypto.subtle.importKey("raw", key, hmac, false, ["sign"]);
        return new Response(`${new Uint8Array(await crypto.subtle.sign(hmac, imported, key)).toHex().slice(0, 8)}\n`);
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
      case "ship": {
        const { city } = await request.json<{ city: string }>();
        return Response.json({ id: (await env.SHIPPING.create({ id: name, params: { city } })).id });
      }
      case "thumbnail": {
        const { body } = await env.ASSETS.fetch(new URL("/sea.png", url));
        const small = await env.IMAGES.input(body!).transform({ width: 8 }).output({ format: "image/png" });
        return Response.json(await env.IMAGES.info(small.image()));
      }
      case "like": {
        const vectors = { Tide: [1, 0, 0], Ebb: [0, 1, 0] };
        await env.TITLES.upsert(Object.entries(vectors).map(([id, values]) => ({ id, values })));
        const { matches } = await env.TITLES.query([0.9, 0.2, 0], { topK: 1 });
        return new Response(`${matches[0].id}\n`);
      }
      case "readings":
        await env.READINGS.send([await request.json()]);
        return new Response("kept\n", { status: 202 });
      case "letter":
        await env.POST.send({ from: "tour@example.com", to: "ada@example.com", subject: "Shipped", text: "It is on its way." });
        return new Response("posted\n", { status: 202 });
      case "ledger":
        return new Response(`${env.LEDGER.user} at ${env.LEDGER.host}, database ${env.LEDGER.database}\n`);
      case "run": {
        const code = { compatibilityDate: "2026-04-01", mainModule: "main.js", modules: { "main.js": await request.text() } };
        return env.LOADER.load(code).getEntrypoint().fetch("http://run/");
      }
      case "tenant":
        return env.TENANTS.get(name).fetch(new Request(url.origin));
      case "seen":
        return env.BROWSER.quickAction("screenshot", { url: `${url.origin}/about.html` });
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
  API_KEY: SecretsStoreSecret;
  COUNTER: DurableObjectNamespace<Counter>;
  MAIL_DO: DurableObjectNamespace;
  JOBS: Queue;
  OUTBOX: Queue;
  PRICES: Service<Prices>;
  LIMIT: RateLimit;
  SHIPPING: Workflow<{ city: string }>;
  IMAGES: ImagesBinding;
  TITLES: Vectorize;
  READINGS: Pipeline;
  POST: SendEmail;
  LEDGER: Hyperdrive;
  LOADER: WorkerLoader;
  TENANTS: DispatchNamespace;
  BROWSER: Fetcher & { quickAction(action: string, options: { url: string }): Promise<Response> };
  VISITS: AnalyticsEngineDataset;
  VERSION: WorkerVersionMetadata;
}
