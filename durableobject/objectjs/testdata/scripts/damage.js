let born = 0;
export class D extends DurableObject {
  n = ++born;
  async put(k, v) {
    await this.ctx.storage.put(k, v);
    return "put";
  }
  async big(k) {
    await this.ctx.storage.put(k, "x".repeat(1 << 20));
    return "put";
  }
  async sql(q) {
    return JSON.stringify([...this.ctx.storage.sql.exec(q).raw()]);
  }
  async tx() {
    return this.ctx.storage.transaction(async (t) => {
      await t.put("tx", 1);
      await this.ctx.storage.put("b", 2);
    });
  }
  async read() {
    return "#" + (this.n - 1) + " " + [...(await this.ctx.storage.list()).keys()].join();
  }
  async wake(ms) {
    await this.ctx.storage.setAlarm(Date.now() + ms);
  }
  async alarm() {
    await this.ctx.storage.put("alarm", 1);
  }
  async swallow(k) {
    try {
      await this.ctx.storage.put(k, "x".repeat(1 << 20));
    } catch (e) {}
    return "went on";
  }
}
const d = (env, n = "a") => env.D.getByName(n);
const tests = {
  put: (env) => caught(() => d(env).put("k", 1)),
  other: (env) => caught(() => d(env, "b").put("k", 1)),
  more: (env) => caught(() => d(env).put("m", 1)),
  big: (env) => caught(() => d(env).big("big")),
  tx: (env) => caught(() => d(env).tx()),
  sql: (env) => caught(() => d(env).sql("CREATE TABLE t (a)")),
  swallow: (env) => caught(() => d(env).swallow("s")),
  fresh: (env) => caught(() => d(env, "new").put("k", 1)),
  read: (env) => caught(() => d(env).read()),
  readOther: (env) => caught(() => d(env, "b").read()),
  stub: async (env) => {
    const s = d(env);
    return (await caught(() => s.put("z", 1))) + "|" + (await caught(() => s.read()));
  },
  wake: (env) => caught(() => d(env).wake(1000)),
};
