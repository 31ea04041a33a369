import { DurableObject } from "cloudflare:workers";

export class Order extends DurableObject {
  async create(name) {
    await this.ctx.storage.put("name", name);
    await this.env.JOBS.send({ name });
  }
  async failed(attempts) {
    await this.ctx.storage.put("attempts", attempts);
  }
  async dead(name) {
    await this.ctx.storage.put("dead", name);
  }
  async state() {
    return Object.fromEntries(await this.ctx.storage.list());
  }
}

export default {
  async queue(batch, env) {
    for (const m of batch.messages) {
      const order = env.ORDERS.get(env.ORDERS.idFromName(m.body.name));
      if (batch.queue === "dead") {
        await order.dead(m.body.name);
        m.ack();
      } else {
        await order.failed(m.attempts);
        m.retry({ delaySeconds: 3600 });
      }
    }
  },
};
