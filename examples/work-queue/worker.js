// POST /NAME asks for the price of something, GET /NAME tells it once the Go service has found it.
export default {
  async fetch(request, env) {
    const name = new URL(request.url).pathname.slice(1);
    if (request.method === "POST") {
      await env.TO_PRICE.send({ name });
      return new Response("wait for it\n", { status: 202 });
    }
    const price = await env.PRICES.get(name);
    return price === null ? new Response("not yet\n", { status: 404 }) : new Response(price + "\n");
  },

  // What Go enqueues as JSON is an object here.
  async queue(batch, env) {
    for (const message of batch.messages) {
      await env.PRICES.put(message.body.name, String(message.body.price));
    }
  },
};
