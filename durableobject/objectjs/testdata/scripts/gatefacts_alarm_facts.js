let runs = [];
let released = 0;
export class L extends DurableObject {
  async set(mode) {
    this.mode = mode;
    await this.ctx.storage.put("mode", mode);
    await this.ctx.storage.setAlarm(Date.now() + 1);
  }
  async hold() {
    await this.ctx.blockConcurrencyWhile(() => sleep(1000));
    runs.push("released " + (Date.now() % 1e6));
  }
  async alarm(info) {
    const mode = await this.ctx.storage.get("mode");
    runs.push(mode + info.retryCount + " " + (Date.now() % 1e7));
    if (mode === "long" && !info.isRetry) {
      await this.ctx.storage.put("kept", 1);
      await sleep(16 * 60000);
      runs.push("went on");
    }
    if (mode === "just") await sleep(15 * 60000 - 1);
  }
  async after() {
    return (await this.ctx.storage.get("kept")) + " " + (await this.ctx.storage.getAlarm());
  }
}
const tests = {
  long: async (env) => {
    await env.L.getByName("long").set("long");
    await sleep(17 * 60000);
    return runs.splice(0).join() + "|" + (await env.L.getByName("long").after());
  },
  just: async (env) => {
    await env.L.getByName("just").set("just");
    await sleep(17 * 60000);
    return runs
      .splice(0)
      .map((s) => s.split(" ")[0])
      .join();
  },
  held: async (env) => {
    const s = env.L.getByName("held");
    await s.set("held");
    const h = s.hold();
    await sleep(5000);
    await h;
    return runs
      .splice(0)
      .map((s) => s.split(" ")[0])
      .join();
  },
};
