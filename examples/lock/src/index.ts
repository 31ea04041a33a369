import { DurableObject } from "cloudflare:workers";

interface Env {
  LOCK: DurableObjectNamespace<Lock>;
}

interface Holder {
  owner: string;
  token: number;
  until: number;
}

/** A lock with a time to live and a fencing token that only ever grows. */
export class Lock extends DurableObject<Env> {
  acquire(owner: string, ttl: number): { ok: boolean; token?: number; holder?: string } {
    return this.ctx.storage.transactionSync(() => {
      const held = this.ctx.storage.kv.get<Holder>("holder");
      if (held && held.until > Date.now() && held.owner !== owner) return { ok: false, holder: held.owner };
      const token = (this.ctx.storage.kv.get<number>("token") ?? 0) + 1;
      this.ctx.storage.kv.put("token", token);
      this.ctx.storage.kv.put("holder", { owner, token, until: Date.now() + ttl });
      this.ctx.storage.setAlarm(Date.now() + ttl);
      return { ok: true, token };
    });
  }

  release(owner: string, token: number): boolean {
    const held = this.ctx.storage.kv.get<Holder>("holder");
    if (!held || held.owner !== owner || held.token !== token) return false;
    this.ctx.storage.kv.delete("holder");
    this.ctx.storage.deleteAlarm();
    return true;
  }

  holder(): string | null {
    return this.ctx.storage.kv.get<Holder>("holder")?.owner ?? null;
  }

  alarm() {
    const held = this.ctx.storage.kv.get<Holder>("holder");
    if (held && held.until <= Date.now()) this.ctx.storage.kv.delete("holder");
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    const [, name, verb] = url.pathname.split("/");
    if (!name) return new Response("/<lock>/acquire?owner=&ttl=ms, /<lock>/release?owner=&token=, /<lock>\n");
    const lock = env.LOCK.getByName(name);
    const owner = url.searchParams.get("owner") ?? "";
    switch (verb) {
      case "acquire": {
        const res = await lock.acquire(owner, Number(url.searchParams.get("ttl") ?? 30000));
        return Response.json(res, { status: res.ok ? 200 : 409 });
      }
      case "release":
        return Response.json({ ok: await lock.release(owner, Number(url.searchParams.get("token"))) });
      default:
        return Response.json({ holder: await lock.holder() });
    }
  },
};
