import { DurableObject } from "cloudflare:workers";

interface Env {
  SHARDS: number;
  SHARD: DurableObjectNamespace<Shard>;
}

export class Shard extends DurableObject<Env> {
  async add(n: number): Promise<number> {
    const value = ((await this.ctx.storage.get<number>("n")) ?? 0) + n;
    await this.ctx.storage.put("n", value);
    return value;
  }
  async value(): Promise<number> {
    return (await this.ctx.storage.get<number>("n")) ?? 0;
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const name = new URL(request.url).pathname.slice(1) || "hits";
    const shards = Array.from({ length: env.SHARDS }, (_, i) => env.SHARD.getByName(`${name}/${i}`));
    if (request.method === "POST") {
      // Any shard will do: writes spread out, and each is atomic in its object.
      await shards[Math.floor(Math.random() * shards.length)].add(1);
      return new Response(null, { status: 204 });
    }
    const parts = await Promise.all(shards.map((s) => s.value()));
    return Response.json({ name, total: parts.reduce((a, b) => a + b, 0) });
  },
};
