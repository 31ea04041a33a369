let shared = 0;
const order = [];
const log = (x) => order.push(x),
  took = () => order.splice(0).join();
export class G extends DurableObject {
  async micro() {
    this.n ??= 0;
    const n = this.n;
    await null;
    await Promise.resolve();
    await (async () => {})();
    return (this.n = n + 1);
  }
  async count(how) {
    const s = this.ctx.storage,
      n = (await s.get("n")) ?? 0;
    await how;
    return (await s.put("n", n + 1), n + 1);
  }
  async storageWaits(i) {
    const s = this.ctx.storage;
    log("in" + i);
    await s.get("a");
    await s.put("a", 1);
    await s.list();
    await s.delete("a");
    await s.setAlarm(Date.now() + 60000);
    await s.getAlarm();
    await s.deleteAlarm();
    await s.deleteAll();
    await s.transaction(() => {});
    log("out" + i);
  }
  alarm() {}
  ticks() {
    return new Promise((done) => {
      const s = this.ctx.storage;
      setTimeout(() => {
        log("t0");
        done(took());
      }, 0);
      s.sync().then(() => log("sync"));
      (async () => {
        await null;
        await null;
        await null;
        log("3micro");
      })();
      s.put("x", 1).then(() => log("put"));
      s.get("x").then(() => log("get"));
      Promise.resolve().then(() => log("micro"));
    });
  }
  async yields(how) {
    const v = this.v ?? 0;
    if (how === "timeout") await sleep(1);
    if (how === "wait") await scheduler.wait(1);
    if (how === "fetch") await (await this.env.G.getByName("other").fetch("http://x/")).text();
    if (how === "rpc") await this.env.G.getByName("other").nothing();
    if (how === "self") await this.env.G.getByName(this.ctx.id.name).nothing();
    if (how === "sync") {
      this.ctx.storage.put("k", v);
      await this.ctx.storage.sync();
    }
    if (how === "bookmark") await this.ctx.storage.getCurrentBookmark();
    if (how === "stream") {
      const { readable, writable } = new TransformStream();
      const w = writable.getWriter();
      setTimeout(() => {
        w.write(1);
        w.close();
      }, 1);
      for await (const _ of readable);
    }
    return (this.v = v + 1);
  }
  nothing() {}
  async pause(ms) {
    await sleep(ms);
  }
  fetch() {
    return new Response("f");
  }
  async txn(i) {
    await this.ctx.storage.transaction(async () => {
      log(i + "1");
      await sleep(5);
      log(i + "2");
    });
  }
  async txns() {
    const a = this.ctx.storage.transaction(async () => {
        log("a1");
        await sleep(5);
        log("a2");
      }),
      b = this.ctx.storage.transaction(async () => {
        log("b1");
      });
    log("sync code");
    await a;
    await b;
    return took();
  }
  touch(i) {
    log(i);
  }
  async block() {
    return [
      await this.ctx.blockConcurrencyWhile(async () => {
        await sleep(5);
        return await this.ctx.blockConcurrencyWhile(async () => "nested");
      }),
      await caught(() => this.ctx.blockConcurrencyWhile(5)),
    ].join("|");
  }
  async blockFor(ms) {
    await this.ctx.blockConcurrencyWhile(async () => {
      await sleep(ms);
      log("blocked");
    });
  }
  async deadlock() {
    const t = sleep(1);
    await this.ctx.blockConcurrencyWhile(() => t);
  }
  async txnFor(ms) {
    await this.ctx.storage.transaction(() => sleep(ms));
  }
  async selfDeadlock() {
    await this.ctx.blockConcurrencyWhile(() => this.env.G.getByName(this.ctx.id.name).nothing());
  }
  add() {
    globalThis.fromObject = this.ctx.id.name;
    return ++shared;
  }
  async uncaughtSection() {
    try {
      await this.ctx.blockConcurrencyWhile(() => {
        throw new TypeError("section");
      });
    } catch {}
    return "caught it";
  }
}
export class Slow extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    log("ctor");
    ctx.blockConcurrencyWhile(async () => {
      log("block");
      await sleep(5);
      log("unblock");
    });
    log("rest");
  }
  hi() {
    log("hi");
  }
}
const g = (env, n) => env.G.getByName(n);
const three = async (f) => (await Promise.all([f(1), f(2), f(3)])).join();
const tests = {
  micro: (env) => three(() => g(env, "m").micro()),
  counters: async (env) => (await Promise.all(Array.from({ length: 5 }, () => g(env, "c").count()))).join(),
  storage: async (env) => {
    await three((i) => g(env, "s").storageWaits(i));
    return took();
  },
  ticks: (env) => g(env, "t").ticks(),
  ...Object.fromEntries(
    ["timeout", "wait", "fetch", "rpc", "self", "sync", "bookmark", "stream"].map((how) => [
      how,
      (env) => three(() => g(env, how).yields(how)),
    ]),
  ),
  txn: (env) => g(env, "x").txns(),
  txnEvents: async (env) => {
    const s = g(env, "y");
    await s.nothing();
    await Promise.all([s.txn("a"), s.txn("b"), s.touch("event")]);
    return took();
  },
  block: (env) => g(env, "b").block(),
  blocked: async (env) => {
    const s = g(env, "b2");
    await s.nothing();
    await Promise.all([s.blockFor(5), s.touch("first"), s.touch("second")]);
    return took();
  },
  constructed: async (env) => {
    await env.Slow.getByName("a").hi();
    return took();
  },
  failed: async (env) => {
    const s = g(env, "f");
    const waiting = caught(() => s.pause(60));
    const one = caught(() => s.uncaughtSection());
    return [
      await one,
      await waiting,
      await caught(() => s.nothing()),
      await caught(() =>
        g(env, "f")
          .add()
          .then(() => "fresh"),
      ),
    ].join("\n");
  },
  limit: async (env) => {
    const s = g(env, "l");
    await s.nothing();
    const began = Date.now();
    const a = caught(() => s.blockFor(31000)),
      b = caught(() => s.nothing());
    return [await a, Date.now() - began, await b, await caught(() => g(env, "l").nothing())].join("\n");
  },
  txnLimit: (env) => caught(() => g(env, "tl").txnFor(31000)),
  within: async (env) => caught(() => g(env, "w").blockFor(29900)),
  deadlock: async (env) => {
    const began = Date.now();
    return [
      await caught(() => g(env, "d").deadlock()),
      await caught(() => g(env, "d").selfDeadlock()),
      Date.now() - began,
    ].join("\n");
  },
  globals: async (env) => {
    const out = [await g(env, "one").add(), await g(env, "two").add(), ++shared, globalThis.fromObject];
    return out.join();
  },
};
