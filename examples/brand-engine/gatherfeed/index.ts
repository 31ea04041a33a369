import { BusyError, consume, PermanentError, type Envelope } from "../shared/envelope";

export { Research } from "./research";

export interface Env {
  EVENTS_QUEUE: Queue<Envelope>;
  DEAD_QUEUE: Queue<Envelope>;
  RESEARCH: Workflow<Envelope>;
  CONTENT: R2Bucket;
  AI: Ai;
}

export default {
  /** How far the research of a command is. */
  async fetch(request: Request, env: Env): Promise<Response> {
    const instance = await env.RESEARCH.get(new URL(request.url).pathname.slice(1));
    const { status, output } = await instance.status();
    return Response.json({ status, output });
  },

  async queue(batch: MessageBatch<Envelope>, env: Env): Promise<void> {
    await consume(batch, {
      "research.requested": async (e, message) => {
        const { keyword } = e.payload;
        if (keyword === "") throw new PermanentError("empty keyword");
        if (keyword === "busy" && message.attempts === 1) throw new BusyError("the source wants a pause");
        if (keyword === "unreachable") throw new Error("the source does not answer");
        // An id that exists is passed over: the same command begins one instance.
        await env.RESEARCH.createBatch([{ id: e.event_id, params: e }]);
      },
    });
  },
};
