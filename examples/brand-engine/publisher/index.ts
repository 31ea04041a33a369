import { WorkerEntrypoint } from "cloudflare:workers";
import { consume, envelope, type Envelope } from "../shared/envelope";

interface Env {
  EVENTS_QUEUE: Queue<Envelope>;
}

/** The methods that other Workers may call over a service binding. */
export class Renderer extends WorkerEntrypoint<Env> {
  render(keyword: string): string {
    return `# ${keyword[0].toUpperCase()}${keyword.slice(1)}`;
  }
}

export default {
  async queue(batch: MessageBatch<Envelope>, env: Env): Promise<void> {
    await consume(batch, {
      "content.publish": async (e) => {
        await env.EVENTS_QUEUE.send(await envelope("publisher", "content.published", { keyword: e.payload.keyword }, e));
      },
    });
  },
};
