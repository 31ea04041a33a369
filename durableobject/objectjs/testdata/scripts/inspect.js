export class L extends DurableObject {
  async go() {
    await this.ctx.storage.put("k", 5);
    this.ctx.storage.sql.exec("CREATE TABLE t AS SELECT 1 a, 'x' b");
    await this.ctx.storage.setAlarm(Date.now() + 5000);
  }
  alarm() {}
}
const tests = {
  go: async (env) => {
    await env.L.getByName("a").go();
    return "ok";
  },
};
