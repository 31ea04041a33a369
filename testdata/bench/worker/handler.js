import { state } from "./state.js";

// What every side serves: requests and computations; and, where env has queue and object, those.
export const handler = (computations) => {
  let seen = 0;
  const numbered = (env, i) => env.COUNTER.get(env.COUNTER.idFromName("numbered " + i));
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
    async "/sendTo"(_, env, n, size) {
      for (let i = 0; i < n; i++) await env["Q" + ((i * 7919) % size)].send({ id: i, text: "a message" });
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
      for (let i = 0; i < n; i += 100) {
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
    "/socket"() {
      const [client, server] = Object.values(new WebSocketPair());
      server.accept();
      server.addEventListener("message", (event) => server.send(event.data));
      return new Response(null, { status: 101, webSocket: client });
    },
    async "/alarms"(_, env, n) {
      state.fired = 0;
      for (let i = 0; i < n; i += 100) {
        await Promise.all(Array.from({ length: Math.min(100, n - i) }, (_, j) => numbered(env, j).wake()));
        if (i + 100 < n) while (state.fired < i + 100) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return new Response("ok");
    },
    async "/lanes"(_, env, n) {
      state.delivered = 0;
      await state.send(env, n);
      return new Response("ok");
    },
    "/delivered": () => new Response(String(state.delivered)),
    "/fired": () => new Response(String(state.fired)),
    // Each of these adds to what is there until it has the size, then says ok.
    async "/backlog"(_, env, n, size) {
      for (let i = 0; i < n && state.kept < size; i += 100) {
        const length = Math.min(100, size - state.kept);
        await env.KEPT.sendBatch(Array.from({ length }, (_, j) => ({ body: { id: j, text: "a message" } })));
        state.kept += length;
      }
      return new Response(state.kept < size ? "more" : "ok");
    },
    async "/keys"(_, env, n, size) {
      return new Response(await env.COUNTER.get(env.COUNTER.idFromName("keys")).fill(n, size));
    },
    async "/key"(_, env, n, size) {
      return new Response(String(await env.COUNTER.get(env.COUNTER.idFromName("keys")).read(n, size)));
    },
    async "/objects"(_, env, n, size) {
      for (let i = 0; i < n && state.objects < size; i++) await numbered(env, state.objects++).ping();
      return new Response(state.objects < size ? "more" : "ok");
    },
    async "/object"(_, env, n, size) {
      for (let i = 0; i < n; i++) await numbered(env, (i * 7919) % size).ping();
      return new Response("ok");
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
      const size = Number(url.searchParams.get("size") ?? 0);
      const path = paths[url.pathname];
      if (path) return path(request, env, n, size);
      const computation = computations[url.pathname.slice(1)];
      return computation ? new Response(String(await computation(n))) : new Response("no such path", { status: 404 });
    },
    queue(batch) {
      seen += batch.messages.length;
    },
  };
};
