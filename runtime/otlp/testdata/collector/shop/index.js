import { DurableObject } from "cloudflare:workers";

export class Desk extends DurableObject {
  async note(bell) {
    await this.ctx.storage.put("bell", bell);
    await this.ctx.storage.setAlarm(Date.now());
  }

  async alarm() {
    console.log("rings", 1);
    await fetch((await this.ctx.storage.get("bell")) + this.env.KEY, { method: "POST", body: "ding" });
  }
}

export default {
  async fetch(request, env) {
    await env.JOBS.send({ bell: await request.text() });
    return new Response("ok", { status: 202 });
  },

  async queue(batch, env) {
    for (const m of batch.messages) {
      if (m.attempts === 1) throw new TypeError("first time");
      await env.DESK.getByName("front").note(m.body.bell);
    }
  },
};
