import { DurableObject } from "cloudflare:workers";

export class Stock extends DurableObject {
  async take() {
    const left = (await this.ctx.storage.get("left")) ?? 3;
    await this.ctx.storage.put("left", left - 1);
    await this.ctx.storage.setAlarm(Date.now() + 3_600_000);
    return left - 1;
  }
  async alarm() {
    await this.ctx.storage.put("left", 3);
  }
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    switch (pathname) {
      case "/order":
        await env.ORDERS.send(await request.json());
        return new Response("ordered");
      case "/take":
        return Response.json(await env.STOCK.get(env.STOCK.idFromName("book")).take());
      case "/throw":
        throw new Error("out of paper");
      case "/count": {
        const n = Number((await env.KV.get("n")) ?? 0);
        await env.KV.put("n", String(n + 1));
        return new Response(String(n + 1));
      }
      case "/pens":
        return new Response(await env.KV.get("pens"));
      case "/n":
        return new Response(await env.KV.get("n"));
    }
    console.log("asked for", pathname);
    return new Response("hello");
  },
  async queue(batch, env) {
    for (const m of batch.messages) {
      if (m.body.item === "unicorn") throw new Error("no unicorns");
      if (m.body.item === "pen") await env.KV.put("pens", String(Number((await env.KV.get("pens")) ?? 0) + 1));
    }
  },
};
