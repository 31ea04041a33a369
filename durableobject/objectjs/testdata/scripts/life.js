let born = 0;
const modes = {};
globalThis.seen = [];
export class L extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    this.n = ++born;
    this.calls = 0;
    ctx.blockConcurrencyWhile(async () => {
      await sleep(5);
      this.ready = true;
    });
  }
  who() {
    return this.n + (this.ready ? "r" : "-") + ++this.calls;
  }
  timer(ms) {
    setTimeout(() => {}, ms);
  }
  wait(ms) {
    this.ctx.waitUntil(sleep(ms));
  }
  failWait() {
    this.ctx.waitUntil(Promise.reject(new Error("waited")));
    return "fine";
  }
  badTimer() {
    setTimeout(() => {
      throw new Error("timer");
    }, 1);
    return "fine";
  }
  get mode() {
    return modes[this.ctx.id];
  }
  set mode(m) {
    modes[this.ctx.id] = m;
  }
  async set(ms, mode) {
    this.mode = mode;
    await this.ctx.storage.setAlarm(Date.now() + ms);
  }
  async alarm(info) {
    seen.push(this.mode + " " + info.retryCount + " " + info.isRetry + " " + (await this.ctx.storage.getAlarm()));
    if (this.mode === "throw") throw new Error("alarm threw");
    if (this.mode === "again" && info.retryCount === 0) {
      this.mode = "done";
      await this.ctx.storage.setAlarm(Date.now() + 1000);
      throw new Error("after set");
    }
    if (this.mode === "abort") {
      seen.push("aborting");
      this.ctx.abort("in alarm");
    }
  }
  at() {
    return this.ctx.storage.getAlarm();
  }
  name() {
    return this.ctx.id.name;
  }
  async slow(tag) {
    seen.push("in " + tag);
    await sleep(10);
    seen.push("out " + tag);
    return tag;
  }
  async locked(tag) {
    return this.ctx.blockConcurrencyWhile(async () => {
      seen.push("lock " + tag);
      await sleep(10);
      seen.push("unlock " + tag);
      return tag;
    });
  }
  async txn(tag) {
    return this.ctx.storage.transaction(async () => {
      seen.push("begin " + tag);
      await sleep(10);
      seen.push("end " + tag);
    });
  }
  async readWait() {
    const v = (await this.ctx.storage.get("c")) ?? 0;
    await sleep(1);
    await this.ctx.storage.put("c", v + 1);
    return v + 1;
  }
  broken() {
    this.ctx.storage.sql.exec("CREATE TABLE p (id INTEGER PRIMARY KEY)");
    this.ctx.storage.sql.exec("CREATE TABLE c (p REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED)");
    this.ctx.storage.sql.exec("INSERT INTO c VALUES (5)");
    return "never";
  }
}
const l = (env, n = "a") => env.L.getByName(n);
const take = () => {
  const s = seen.join("|");
  seen = [];
  return s;
};
const tests = {
  who: (env) => l(env).who(),
  idle: async (env) => {
    const out = [await l(env, "i").who()];
    await sleep(9000);
    out.push(await l(env, "i").who());
    await sleep(11000);
    out.push(await l(env, "i").who());
    return out.join();
  },
  kept: async (env) => {
    const out = [];
    for (const f of ["timer", "wait"]) {
      const a = await l(env, f).who();
      await l(env, f)[f](13000);
      await sleep(12000);
      const b = await l(env, f).who();
      out.push(a[0] === b[0]);
    }
    return out.join();
  },
  errors: async (env) => {
    const out = [await l(env).failWait(), await l(env).badTimer()];
    await sleep(5);
    return out.join() + (await l(env).who());
  },
  alarmDone: async (env) => {
    take();
    await l(env, "d").set(500, "done");
    const at = (await l(env, "d").at()) > Date.now();
    await sleep(600);
    return [at, take(), await l(env, "d").at()].join();
  },
  alarmThrow: async (env) => {
    take();
    await l(env, "t").set(100, "throw");
    await sleep(1000);
    const between = (await l(env, "t").at()) !== null;
    await sleep(150000);
    return between + "\n" + take() + "\n" + (await l(env, "t").at());
  },
  alarmAgain: async (env) => {
    take();
    await l(env, "g").set(100, "again");
    await sleep(5000);
    return take();
  },
  alarmAbort: async (env) => {
    take();
    await l(env, "x").set(100, "abort");
    await sleep(3000);
    return take();
  },
  gates: async (env) => {
    take();
    const s = l(env, "o");
    await s.who();
    take();
    await Promise.all([s.slow(1), s.slow(2)]);
    const a = take();
    await Promise.all([s.locked(1), s.slow(2), s.locked(3)]);
    const b = take();
    await Promise.all([s.txn(1), s.txn(2), s.slow(3)]);
    return [a, b, take()].join("\n");
  },
  race: async (env) => {
    const s = l(env, "race");
    return (await Promise.all([s.readWait(), s.readWait(), s.readWait()])).join();
  },
  constraint: async (env) => {
    const s = l(env, "fk");
    return [await caught(() => s.broken()), await caught(() => s.who())].join("\n");
  },
};
