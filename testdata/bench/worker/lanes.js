// The lanes of eddy, which no other side has: a hundred messages at a time to ten keys.
import { DOQueueProducer, createDOQueue } from "@cloudflare-boilerplate/do-queue";
import { state } from "./state.js";

export const Lanes = createDOQueue({
  queue(batch) {
    state.delivered += batch.messages.length;
  },
});

state.send = async (env, n) => {
  const producer = new DOQueueProducer(env.LANES, "bench");
  for (let i = 0; i < n; i += 100) {
    await Promise.all(Array.from({ length: Math.min(100, n - i) },
      (_, j) => producer.send({ id: j, text: "a message" }, { key: "key " + (j % 10) })));
  }
};
