import { WorkerEntrypoint } from "cloudflare:workers";
import { consume, envelope, type Envelope } from "../shared/envelope";

interface Env {
  EVENTS_QUEUE: Queue<Envelope>;
  SITE: D1Database;
  CONTENT: R2Bucket;
}

/** The methods that other Workers may call over a service binding. */
export class Renderer extends WorkerEntrypoint<Env> {
  render(keyword: string): string {
    return `# ${keyword[0].toUpperCase()}${keyword.slice(1)}`;
  }
}

/** Makes a page of a draft. An article whose draft is gone is published by its title. */
async function publish(env: Env, e: Envelope<{ keyword: string; draft?: string }>): Promise<void> {
  const { keyword, draft } = e.payload;
  const kept = draft ? await env.CONTENT.get(draft) : null;
  const [title, ...text] = kept ? (await kept.text()).split("\n\n") : [`# ${keyword}`];
  const page = `pages/${keyword}.html`;
  await env.CONTENT.put(page, `<h1>${title.slice(2)}</h1>${text.map((p) => `<p>${p.trim()}</p>`).join("")}`, {
    httpMetadata: { contentType: "text/html" },
  });
  await env.SITE.prepare("INSERT OR IGNORE INTO articles VALUES (?, ?, ?, ?)").bind(e.event_id, keyword, title.slice(2), page).run();
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const keyword = decodeURIComponent(new URL(request.url).pathname.slice(1));
    if (keyword === "") return Response.json((await env.SITE.prepare("SELECT keyword, title FROM articles ORDER BY keyword").all()).results);
    const page = await env.CONTENT.get(`pages/${keyword}.html`);
    return page ? new Response(page.body, { headers: { "content-type": page.httpMetadata!.contentType! } }) : new Response(null, { status: 404 });
  },

  async queue(batch: MessageBatch<Envelope>, env: Env): Promise<void> {
    await consume(batch, {
      "content.publish": async (e) => {
        await publish(env, e);
        await env.EVENTS_QUEUE.send(await envelope("publisher", "content.published", { keyword: e.payload.keyword }, e));
      },
    });
  },
};
