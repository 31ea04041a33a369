export class L extends DurableObject {
  async set(ms) {
    await this.ctx.storage.setAlarm(Date.now() + ms);
  }
  async alarm(info) {
    await this.ctx.storage.put("fired", info.scheduledTime + " " + info.retryCount + " " + this.ctx.id.name);
  }
  async read() {
    return (await this.ctx.storage.get("fired")) ?? "not fired";
  }
}
const tests = {
  set: (env) =>
    env.L.getByName("a")
      .set(60000)
      .then(() => "ok"),
  read: (env) => env.L.getByName("a").read(),
};
