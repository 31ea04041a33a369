import { consume, envelope, type Envelope } from "../shared/envelope";

interface Env {
  EVENTS_QUEUE: Queue<Envelope>;
}

export default {
  async queue(batch: MessageBatch<Envelope>, env: Env): Promise<void> {
    await consume(batch, {
      "social.post": async (e) => {
        await env.EVENTS_QUEUE.send(await envelope("social", "social.posted", { keyword: e.payload.keyword }, e));
      },
    });
  },
};
