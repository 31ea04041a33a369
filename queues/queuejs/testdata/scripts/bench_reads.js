// Sends as many messages as it is asked to, and reads and acknowledges each.
let seen = 0, asked = 0, done;
export default {
  async fetch(request, env) {
    asked = Number(new URL(request.url).searchParams.get("n"));
    seen = 0;
    const all = new Promise((resolve) => { done = resolve; });
    for (let i = 0; i < asked; i += 100) {
      const length = Math.min(100, asked - i);
      await env.Q.sendBatch(Array.from({ length }, (_, j) => ({ body: { id: j, text: "a message" } })));
    }
    await all;
    return new Response("ok");
  },
  queue(batch) {
    for (const m of batch.messages) {
      if (m.body.text === "a message" && m.id) m.ack();
    }
    if ((seen += batch.messages.length) >= asked) done();
  },
};
