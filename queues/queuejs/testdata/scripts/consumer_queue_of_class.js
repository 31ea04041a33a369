import { WorkerEntrypoint } from "cloudflare:workers";
let seen;
export default class extends WorkerEntrypoint {
  async fetch() {
    if (!seen) await this.env.Q.send("x");
    return Response.json(seen ?? null);
  }
  queue(batch, env, ctx) {
    seen = [
      batch.messages[0].body,
      arguments.length,
      env === this.env,
      ctx === this.ctx,
      typeof this.ctx.waitUntil,
    ];
  }
}
