import { consume, envelope, type Envelope } from "../shared/envelope";

interface Env {
  EVENTS_QUEUE: Queue<Envelope>;
  POSTS: KVNamespace;
  AI: Ai;
}

const model = "@cf/meta/llama-3.1-8b-instruct";

export default {
  async fetch(_: Request, env: Env): Promise<Response> {
    const { keys } = await env.POSTS.list({ prefix: "post/" });
    return Response.json(await Promise.all(keys.map(({ name }) => env.POSTS.get(name))));
  },

  async queue(batch: MessageBatch<Envelope>, env: Env): Promise<void> {
    await consume(batch, {
      "social.post": async (e) => {
        const { keyword } = e.payload;
        const { response } = (await env.AI.run(model, { prompt: `Post: ${keyword}` })) as { response: string };
        await env.POSTS.put(`post/${e.event_id}`, response);
        await env.EVENTS_QUEUE.send(await envelope("social", "social.posted", { keyword }, e));
      },
    });
  },
};
