class Base extends DurableObject {
  async run(name) {
    return await cases[name](this.ctx.storage, this.ctx, this);
  }
}
export class S extends Base {
  alarm() {}
}
export class K extends Base {
  alarm() {}
}
const keys = async (s, o) => [...(await s.list(o)).keys()].join();
const tests = new Proxy(
  {},
  {
    get: (_, n) => async (env) => {
      const [name, cls] = n.split(".");
      return env[cls ?? "S"].getByName(n).run(name);
    },
  },
);
const cases = {
  async kv2(s) {
    const out = [];
    await s.put({ a: 1, b: 2 });
    out.push(
      await s.get("a"),
      await s.delete("a"),
      await keys(s),
      await s.transaction((t) => t.get("b")),
      s.transactionSync(() => "sync"),
    );
    await s.setAlarm(Date.now() + 1e6);
    out.push((await s.getAlarm()) > 0);
    await s.deleteAlarm();
    await s.deleteAll();
    out.push(await keys(s));
    return out.join("|");
  },
  async kv2refused(s) {
    return [
      await caught(() => s.sql.exec("SELECT 1")),
      await caught(() => s.sql.databaseSize),
      typeof s.sql,
      typeof s.kv,
      await caught(() => s.kv.get("a")),
      await caught(() => s.kv.put("a", 1)),
      await caught(() => s.kv.delete("a")),
      await caught(() => s.kv.list()),
    ]
      .map((t) => t.slice(0, 60))
      .join("\n");
  },
  async kv3(s) {
    await s.put("5", "five");
    await s.put("null", "nul");
    await s.put("", "empty");
    return [
      await s.get(5),
      await s.get(null),
      await s.get(""),
      [...(await s.get(["null", "5", "5", "none"]))].join(";"),
      (await s.get([])).size,
    ].join("|");
  },
  async kv5(s) {
    await s.put(Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true }, hidden: { value: 1 } }));
    await s.put({ a: undefined, [Symbol("q")]: 1, z: 0 });
    await s.put(new Map([["m", 1]]));
    return [await keys(s), await caught(() => s.put({ a: 1 }, "options"))].join("|");
  },
  async kv8(s) {
    await s.put({ a: 1, b: 2, null: 3 });
    return [
      await keys(s, { limit: 1.5 }),
      await keys(s, { limit: "2" }),
      await keys(s, null),
      await keys(s, { nonsense: 1, prefix: undefined }),
      await keys(s, { start: null }),
    ].join("|");
  },
  async kv9(s) {
    await s.put({ a: 1, b: 2 });
    const l = s.list();
    s.delete("a");
    const v = { x: 1 };
    s.put("v", v);
    v.x = 2;
    const one = await s.get("v"),
      two = await s.get("v");
    return [[...(await l).keys()].join(), one.x, one !== two, await keys(s)].join("|");
  },
  async kv10(s) {
    const out = [];
    const keep = async (v, f) => {
      await s.put("v", v);
      out.push(f(await s.get("v")));
    };
    const no = async (v) => out.push(await caught(() => s.put("v", v)));
    await keep(
      {
        get g() {
          return 7;
        },
      },
      (v) => v.g,
    );
    await no({
      get g() {
        throw new RangeError("in getter");
      },
    });
    class P {
      x = 1;
      m() {}
      get g() {
        return 2;
      }
    }
    await keep(new P(), (v) => JSON.stringify(v) + (v.constructor === Object));
    const e = new TypeError("msg", { cause: 5 });
    e.extra = 1;
    await keep(e, (v) => [v.name, v.message, v.cause, "extra" in v, v instanceof TypeError].join());
    await keep(new DOMException("d", "AbortError"), (v) => v.name + v.code);
    await keep(new Headers({ a: "b" }), (v) => v.get("a"));
    await keep(new Request("http://x/", { method: "PUT" }), (v) => v.method + v.url);
    await no(new Proxy({}, {}));
    await no((function* () {})());
    await no(new Response("x"));
    await no(new URL("http://x/"));
    return out.join("\n");
  },
  async kv13(s) {
    const o = { allowConcurrency: true, allowUnconfirmed: true, noCache: true };
    const out = [];
    await s.put("a", 1, o);
    await s.put({ b: 2 }, o);
    out.push(
      await s.get("a", o),
      (await s.get(["a", "b"], o)).size,
      (await s.list(o)).size,
      await s.delete("a", o),
      await s.delete(["b"], o),
    );
    await s.setAlarm(Date.now() + 1e6, o);
    out.push((await s.getAlarm(o)) > 0);
    await s.deleteAlarm(o);
    await s.deleteAll(o);
    return out.join();
  },
  async kv14list(s) {
    const kv = s.kv;
    const empty = kv.list();
    kv.put("a", 1);
    kv.put("b", 2);
    const out = [JSON.stringify([...empty])];
    const first = kv.list();
    kv.delete("a");
    kv.put("c", 3);
    out.push(JSON.stringify([...first]));
    const gone = kv.list();
    await s.deleteAll();
    out.push(await caught(() => gone.next().value), await caught(() => gone.next()));
    kv.put("x", 1);
    const old = kv.list();
    const now = kv.list();
    out.push(await caught(() => old.next()), JSON.stringify([...now]));
    return out.join("|");
  },
  async kv3symbol(s) {
    const out = [];
    for (const f of [
      () => s.put(Symbol("a"), 1),
      () => s.get(Symbol("a")),
      () => s.get([Symbol("a")]),
      () => s.delete(Symbol("a")),
      () => s.list({ prefix: Symbol("a") }),
    ])
      out.push(await caught(f));
    return [...new Set(out), (await s.list()).size].join("|");
  },
  async kv13types(s) {
    const out = [];
    for (const f of [
      () => s.get("a", 5),
      () => s.put("a", 1, "x"),
      () => s.delete("a", 5),
      () => s.deleteAll(5),
      () => s.getAlarm(5),
      () => s.setAlarm(4e12, 5),
      () => s.deleteAlarm("x"),
      () => s.get("a", null),
    ])
      out.push((await caught(f)).replace(/.*is not of type /, ""));
    return out.join();
  },
  async kv14(s) {
    const kv = s.kv;
    kv.put("a", 1);
    kv.put("b", 2);
    await s.put("c", 3);
    const l = kv.list({ reverse: true, limit: 2 });
    const list = [typeof l.next, Array.isArray(l), JSON.stringify([...l])];
    kv.put("a,b", "joined");
    return [...list, kv.get(["a", "b"]), await s.get("a"), kv.get("c"), kv.delete("zz")].join("|");
  },
  async kv15(s) {
    await s.put("a", 1);
    s.sql.exec("CREATE TABLE t (x)");
    s.sql.exec("INSERT INTO t VALUES (zeroblob(20000))");
    await s.setAlarm(Date.now() + 1e6);
    const cursor = s.sql.exec("SELECT 1 UNION SELECT 2");
    const big = s.sql.databaseSize;
    await s.deleteAll();
    const out = [
      big > 20000,
      s.sql.databaseSize,
      s.sql.exec("SELECT count(*) n FROM sqlite_master").one().n,
      (await s.getAlarm()) !== null,
      await caught(() => cursor.toArray()),
    ];
    s.deleteAll();
    s.put("after", 1);
    out.push(await keys(s));
    return out.join("|");
  },
  async kv16(s, ctx, o) {
    const log = [];
    const other = Promise.all([s.put("a", 1).then(() => log.push("put")), s.sync().then(() => log.push("sync"))]);
    await other;
    return log.join();
  },
  async many(s) {
    const o = {};
    for (let i = 0; i < 200; i++) o["k" + String(i).padStart(3, 0)] = i;
    const list = Object.keys(o);
    return [
      await caught(() => s.put(o)),
      await caught(async () => (await s.get(list)).size),
      await caught(() => s.delete(list)),
      await caught(() =>
        s.transaction(async (t) => {
          for (const k of list) await t.put(k, 1);
          return "all";
        }),
      ),
    ].join("\n");
  },
  async keys(s) {
    return [
      await caught(() => s.put("k".repeat(2049), 1)),
      await caught(() => s.get("é".repeat(1025))),
      await caught(() => s.delete("k".repeat(2049))),
      await caught(() => s.put("k".repeat(2048), 1)),
    ].join("\n");
  },
  async values(s) {
    return [
      await caught(() => s.put("v", "x".repeat(131072))),
      await caught(() => s.put({ a: 1, v: "x".repeat(131072) })),
      await s.get("a"),
      await caught(() => s.put("v", "x".repeat(131000))),
    ].join("\n");
  },
  async rows(s) {
    return [
      await caught(() => s.put("v", "x".repeat(2_300_000))),
      await caught(() => s.put({ a: 1, v: "x".repeat(2_300_000) })),
      await s.get("a"),
      await caught(() => s.put("v", "x".repeat(2_000_000))),
    ].join("\n");
  },
  async tx3(s) {
    s.sql.exec("CREATE TABLE t (x)");
    const e = await caught(() =>
      s.transaction(async (t) => {
        await t.put("t", 1);
        await s.put("s", 1);
        s.sql.exec("INSERT INTO t VALUES (1)");
        throw new Error("back");
      }),
    );
    await s.transaction(async () => {
      await s.put("outer", 1);
      await caught(() =>
        s.transaction(async () => {
          await s.put("inner", 1);
          throw new Error("x");
        }),
      );
    });
    return [e, await keys(s), s.sql.exec("SELECT count(*) n FROM t").one().n].join("|");
  },
  async tx6(s) {
    const out = [];
    out.push(
      await caught(() =>
        s.transactionSync(() => {
          s.put("async", 1);
          s.kv.put("kv", 1);
          throw new Error("back");
        }),
      ),
      await keys(s),
    );
    s.transactionSync(() => {
      s.kv.put("o", 1);
      try {
        s.transactionSync(() => {
          s.kv.put("i", 1);
          throw 1;
        });
      } catch {}
    });
    out.push(await keys(s));
    const p = s.transactionSync(async () => {
      s.kv.put("before", 1);
      await null;
      s.kv.put("later", 1);
      throw new Error("late");
    });
    out.push(await caught(p), await keys(s));
    return out.join("|");
  },
  async tx8(s) {
    let runs = 0;
    const add = (ms) =>
      s.transaction(async (t) => {
        runs++;
        const v = (await t.get("n")) ?? 0;
        await sleep(ms);
        await t.put("n", v + 1);
      });
    await Promise.all([add(5), add(1), s.put("n", 10), add(3)]);
    return runs + " " + (await s.get("n"));
  },
};
