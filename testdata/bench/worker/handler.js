// What every side serves: requests and computations; and, where env has queue and object, those.
export const handler = (computations) => {
  let seen = 0;
  const paths = {
    "/": () => new Response("Hello World!"),
    async "/order"(request) {
      const body = await request.json();
      if (typeof body.name !== "string" || !Array.isArray(body.items)) return new Response("no order", { status: 400 });
      let total = 0;
      for (const { price, count } of body.items) {
        if (typeof price !== "number" || typeof count !== "number") return new Response("no item", { status: 400 });
        total += price * count;
      }
      return Response.json({ name: body.name, total, items: body.items.length });
    },
    async "/send"(_, env, n) {
      for (let i = 0; i < n; i++) await env.KEPT.send({ id: i, text: "a message" });
      return new Response("ok");
    },
    async "/sendBatch"(_, env, n) {
      for (let i = 0; i < n; i++) {
        await env.KEPT.sendBatch(Array.from({ length: 100 }, (_, j) => ({ body: { id: j, text: "a message" } })));
      }
      return new Response("ok");
    },
    async "/consume"(_, env, n) {
      seen = 0;
      for (let i = 0; i < n; i++) {
        await env.Q.sendBatch(Array.from({ length: 100 }, (_, j) => ({ body: { id: j, text: "a message" } })));
      }
      return new Response("ok");
    },
    "/seen": () => new Response(String(seen)),
    async "/increment"(_, env, n) {
      const counter = env.COUNTER.get(env.COUNTER.idFromName("one"));
      for (let i = 0; i < n; i++) await counter.add();
      return new Response("ok");
    },
    async "/rpc"(_, env, n) {
      const counter = env.COUNTER.get(env.COUNTER.idFromName("one"));
      for (let i = 0; i < n; i++) await counter.ping();
      return new Response("ok");
    },
    async "/sql"(_, env, n) {
      const counter = env.COUNTER.get(env.COUNTER.idFromName("sql"));
      return new Response(String(await counter.sql(n)));
    },
    async "/stream"(_, env, n) {
      const chunk = new Uint8Array(65536);
      return new Response(new ReadableStream({
        pull(controller) {
          if (n-- > 0) controller.enqueue(chunk);
          else controller.close();
        },
      }));
    },
  };
  return {
    async fetch(request, env) {
      const url = new URL(request.url), n = Number(url.searchParams.get("n") ?? 1);
      const path = paths[url.pathname];
      if (path) return path(request, env, n);
      const computation = computations[url.pathname.slice(1)];
      return computation ? new Response(String(await computation(n))) : new Response("no such path", { status: 404 });
    },
    queue(batch) {
      seen += batch.messages.length;
    },
  };
};
