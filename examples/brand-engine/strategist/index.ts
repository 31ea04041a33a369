import { getAgentByName } from "agents";
import { consume, envelope, type Envelope } from "../shared/envelope";
import type { Renderer } from "../publisher/index";
import type { BrandAgent } from "./agent";
import { Journal } from "./journal";

export { BrandAgent } from "./agent";

export interface Env {
  RESEARCH_QUEUE: Queue<Envelope>;
  PUBLISH_QUEUE: Queue<Envelope>;
  SOCIAL_QUEUE: Queue<Envelope>;
  STRATEGY_QUEUE: Queue<Envelope>;
  EVENTS_QUEUE: Queue<Envelope>;
  RENDERER: Service<Renderer>;
  BRAND_AGENT: DurableObjectNamespace<BrandAgent>;
  DB: D1Database;
  CONTENT: R2Bucket;
  BRANDS: KVNamespace;
  AI: Ai;
}

const me = "strategist";
const model = "@cf/meta/llama-3.1-8b-instruct";

interface Campaign {
  keywords: string[];
  /** Seconds between one keyword and the next. */
  stagger?: number;
}

/** Fan-out at the producer: one message a keyword, each with its own retry and event_id. */
async function start(env: Env, { keywords, stagger = 0 }: Campaign, cause?: Envelope): Promise<string[]> {
  const commands = await Promise.all(keywords.map((keyword, i) => envelope(me, "research.requested", { keyword }, cause, `${i}`)));
  await env.RESEARCH_QUEUE.sendBatch(commands.map((body, i) => ({ body, delaySeconds: i * stagger })));
  await new Journal(env.DB).record(...commands);
  return commands.map((c) => c.event_id);
}

/** The draft is kept in R2 under a key that follows from its cause: written twice, it is there once. */
async function draft(env: Env, e: Envelope<{ keyword: string }>): Promise<string> {
  const { keyword } = e.payload;
  const { response } = (await env.AI.run(model, { prompt: `Article: ${keyword}` })) as { response: string };
  const key = `drafts/${e.event_id}.md`;
  await env.CONTENT.put(key, `${await env.RENDERER.render(keyword)}\n\n${response}\n`);
  return key;
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    const journal = new Journal(env.DB);
    const [, brands, name] = url.pathname.split("/");
    if (brands === "brands") {
      const agent = await getAgentByName(env.BRAND_AGENT, name);
      return Response.json(request.method === "GET" ? await agent.about() : await agent.learn(await request.json()));
    }
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

  /** On Mondays each brand begins its campaign; every night old events are forgotten. */
  async scheduled({ cron, scheduledTime }: ScheduledController, env: Env): Promise<void> {
    if (cron !== "0 6 * * 1") {
      console.log(`pruned ${await new Journal(env.DB).prune()} events`);
      return;
    }
    const monday = new Date(scheduledTime).toISOString().slice(0, 10);
    for (const { name } of (await env.BRANDS.list({ prefix: "brand/" })).keys) {
      await (await getAgentByName(env.BRAND_AGENT, name.slice("brand/".length))).launch(monday);
    }
  },

  async queue(batch: MessageBatch<Envelope>, env: Env): Promise<void> {
    const journal = new Journal(env.DB);
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
        const payload = { keyword: e.payload.keyword, draft: await draft(env, e) };
        await env.EVENTS_QUEUE.send(await envelope(me, "content.generated", payload, e));
      }),
      "content.generated": once(async (e) => {
        const publish = await envelope(me, "content.publish", e.payload, e);
        const social = await envelope(me, "social.post", e.payload, e);
        await Promise.all([env.PUBLISH_QUEUE.send(publish), env.SOCIAL_QUEUE.send(social)]);
        await journal.record(publish, social);
      }),
      "content.published": once(async () => {}),
      "social.posted": once(async () => {}),
    });
  },
};
