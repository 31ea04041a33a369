import { DurableObject } from "cloudflare:workers";

interface Env {
  LIMITER: DurableObjectNamespace<Limiter>;
}

const CAPACITY = 5;
const REFILL_PER_SECOND = 1;

/** A token bucket for one client. */
export class Limiter extends DurableObject<Env> {
  async take(): Promise<{ allowed: boolean; remaining: number; retryAfter: number }> {
    const now = Date.now();
    const last = (await this.ctx.storage.get<{ tokens: number; at: number }>("bucket")) ?? { tokens: CAPACITY, at: now };
    const tokens = Math.min(CAPACITY, last.tokens + ((now - last.at) / 1000) * REFILL_PER_SECOND);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    await this.ctx.storage.put("bucket", { tokens: left, at: now });
    // A bucket that nobody asks for fills up and can be forgotten.
    await this.ctx.storage.setAlarm(now + ((CAPACITY - left) / REFILL_PER_SECOND) * 1000 + 1000);
    return { allowed, remaining: Math.floor(left), retryAfter: allowed ? 0 : Math.ceil((1 - left) / REFILL_PER_SECOND) };
  }

  async alarm() {
    await this.ctx.storage.deleteAll();
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const client = request.headers.get("x-client") ?? request.headers.get("CF-Connecting-IP") ?? "unknown";
    const { allowed, remaining, retryAfter } = await env.LIMITER.getByName(client).take();
    const headers = { "x-ratelimit-remaining": String(remaining), ...(allowed ? {} : { "retry-after": String(retryAfter) }) };
    return new Response(allowed ? "ok\n" : "slow down\n", { status: allowed ? 200 : 429, headers });
  },
};
