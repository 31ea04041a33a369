let born = 0;
export class B extends DurableObject {
  n = ++born;
  async add(k) {
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS t (a)");
    this.ctx.storage.sql.exec("INSERT INTO t VALUES (?)", k);
    await this.ctx.storage.put(k, 1);
  }
  async read() {
    return [
      [...(await this.ctx.storage.list()).keys()].join("+"),
      this.ctx.storage.sql.exec("SELECT group_concat(a, '+') AS x FROM t").one().x,
      (await this.ctx.storage.getAlarm()) === null ? "no alarm" : "alarm",
    ].join(" ");
  }
  mark() {
    return this.ctx.storage.getCurrentBookmark();
  }
  at(t) {
    return this.ctx.storage.getBookmarkForTime(t);
  }
  async back(b, k) {
    const undo = await this.ctx.storage.onNextSessionRestoreBookmark(b);
    if (k) await this.ctx.storage.put(k, 1);
    return undo;
  }
  async both() {
    const s = this.ctx.storage;
    s.put("before", 1);
    const b = s.getCurrentBookmark();
    s.put("after", 1);
    return b;
  }
  born() {
    return this.n;
  }
  abort() {
    this.ctx.abort("restoring");
  }
  wake(ms) {
    return this.ctx.storage.setAlarm(Date.now() + ms);
  }
  alarm() {
    this.ctx.storage.put("rang", 1);
  }
}
export class K extends DurableObject {
  async run() {
    const s = this.ctx.storage;
    return [
      await caught(() => s.getCurrentBookmark()),
      await caught(() => s.getBookmarkForTime(Date.now())),
      await caught(() => s.onNextSessionRestoreBookmark("x")),
    ].join("\n");
  }
}
const o = (env) => env.B.getByName("a");
let marks = {};
const tests = {
  kv: (env) => env.K.getByName("a").run(),
  errors: async (env) =>
    [
      await caught(() => o(env).at("x")),
      await caught(() => o(env).at()),
      await caught(() => o(env).at(new Date(NaN))),
      await caught(() => o(env).back("nonsense")),
      await caught(() => o(env).at(Date.now() + 1e6)),
      await caught(() => o(env).at(Date.now() - 31 * 86400e3)),
    ].join("\n"),
  round: async (env) => {
    await o(env).add("a");
    const one = await o(env).mark();
    const t = Date.now();
    await sleep(5000);
    await o(env).add("b");
    await o(env).wake(3600e3);
    const two = await o(env).mark();
    await sleep(5000);
    const was = await o(env).born();
    const undo = await o(env).back(one, "late");
    const still = await o(env).read();
    await caught(() => o(env).abort());
    const back = await o(env).read();
    const reborn = (await o(env).born()) > was;
    await o(env).back(undo);
    await caught(() => o(env).abort());
    const undone = await o(env).read();
    await o(env).back(await o(env).at(t + 2000));
    await caught(() => o(env).abort());
    const timed = await o(env).read();
    return [
      /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/.test(one),
      one < two,
      two < undo,
      still,
      back,
      reborn,
      undone,
      timed,
    ].join("|");
  },
  turn: async (env) => {
    marks.both = await o(env).both();
    await o(env).add("x");
    await o(env).back(marks.both);
    await caught(() => o(env).abort());
    return (await o(env).read()).split(" ")[0];
  },
  later: async (env) => {
    const b = await o(env).mark();
    await o(env).add("gone");
    await o(env).back(b);
    return "asked";
  },
  idle: async (env) => {
    const b = await o(env).mark();
    await o(env).add("z");
    await o(env).back(b);
    await sleep(11000);
    return (await o(env).read()).includes("z");
  },
  read: (env) => o(env).read(),
};
