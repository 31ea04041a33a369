import { DurableObject } from "cloudflare:workers";
export class Counter extends DurableObject<any> {
  memory = 0;
  async increment() {
    const n = ((await this.ctx.storage.get<number>("n")) ?? 0) + 1;
    await this.ctx.storage.put("n", n);
    return [n, ++this.memory];
  }
  async wake(ms: number) { await this.ctx.storage.setAlarm(Date.now() + ms); }
  async hang() { await scheduler.wait(1e9); }
  async alarm() { await this.ctx.storage.put("rang", Date.now()); }
}
export default {
  async fetch(request: Request) {
    if (request.url.endsWith("/hang")) await scheduler.wait(1e9);
    return new Response("ok");
  },
  async queue(batch: MessageBatch<any>, env: any) {
    for (const m of batch.messages) {
      if (m.body.slow) await scheduler.wait(60_000);
      if (m.body.bad) throw new Error("bad " + m.body.bad);
      await env.KV.put(`done ${m.body.id}`, String(m.attempts));
    }
  },
};
