import { BusyError, consume, envelope, PermanentError, type Envelope } from "../shared/envelope";

interface Env {
  EVENTS_QUEUE: Queue<Envelope>;
}

export default {
  async queue(batch: MessageBatch<Envelope>, env: Env): Promise<void> {
    await consume(batch, {
      "research.requested": async (e, message) => {
        const { keyword } = e.payload;
        if (keyword === "") throw new PermanentError("empty keyword");
        if (keyword === "busy" && message.attempts === 1) throw new BusyError("the source wants a pause");
        if (keyword === "unreachable") throw new Error("the source does not answer");
        await env.EVENTS_QUEUE.send(await envelope("gatherfeed", "research.completed", { keyword, sources: keyword.length }, e));
      },
    });
  },
};
