const cases = {
  async kv1(ctx, o, s) {
    return [Object.keys(ctx).join(), Object.keys(s).sort().join()].join("|");
  },
  async get(ctx, o, s) {
    await s.put("a", 1);
    await s.put({ b: { x: 1 }, c: null, d: undefined });
    return [
      await s.get("a"),
      JSON.stringify(await s.get("b")),
      await s.get("c"),
      await s.get("d"),
      entries(await s.get(["b", "a", "a", "zz"])),
      (await s.get([])).size,
      await caught(() => s.get()),
    ].join("|");
  },
  async coerced(ctx, o, s) {
    await s.put("5", "five");
    await s.put("", "empty");
    return [await s.get(5), await s.get("")].join();
  },
  async put(ctx, o, s) {
    await s.put(new Map([["m", 1]]));
    return [
      await caught(() => s.put("k", undefined)),
      await caught(() => s.put("k")),
      await caught(() => s.put()),
      await caught(() => s.put({ a: 1 }, 5)),
      await caught(() => s.put(["a"])),
      (await s.list()).size,
    ].join("\n");
  },
  async delete(ctx, o, s) {
    await s.put({ a: 1, b: 2 });
    return [await s.delete("a"), await s.delete("a"), await s.delete(["a", "b", "c"])].join();
  },
  async list(ctx, o, s) {
    await s.put({ B: 1, a: 2, 10: 3, 9: 4, "\uffff": 5, "😀": 6 });
    const k = async (x) => [...(await s.list(x)).keys()].join();
    return [
      await k(),
      await k({ start: "B" }),
      await k({ startAfter: "B", end: "b" }),
      await k({ prefix: "1" }),
      await k({ reverse: true, limit: 2 }),
      await k({ limit: "2" }),
      await k({ limit: 1.5 }),
      await k(null),
      await k({ start: "b", end: "a" }),
    ].join("|");
  },
  async listErrors(ctx, o, s) {
    const out = [await caught(() => s.list({ start: "a", startAfter: "b" }))];
    for (const l of [0, -1, NaN, null, "z", 2147483648]) out.push(await caught(() => s.list({ limit: l })));
    out.push(await caught(() => s.list("abc")));
    return out.join("\n");
  },
  async snapshot(ctx, o, s) {
    const v = { x: 1 };
    const p = s.put("v", v);
    v.x = 2;
    await p;
    s.put("w", 1);
    const l = s.list();
    s.delete("w");
    const a = await s.get("v");
    return [a.x, (await l).has("w"), (await s.get("v")) !== a].join();
  },
  async clone(ctx, o, s) {
    class C {
      x = 1;
      m() {}
    }
    await s.put("c", new C());
    const e = await caught(() => s.put("f", () => 1));
    return [
      JSON.stringify(await s.get("c")),
      e,
      await caught(() => s.put("u", new URL("http://x/"))),
      await caught(() => s.put("r", new Response("x").body)),
    ].join("|");
  },
  async order(ctx, o, s) {
    const log = [];
    const p = [];
    const n = (x, y) => p.push(x.then(() => log.push(y)));
    n(new Promise((r) => setTimeout(r)), "t0");
    n(s.sync(), "sync");
    n(s.put("a", 1), "put");
    n(s.get("a"), "get");
    n(Promise.resolve(), "micro");
    await Promise.all(p);
    return log.join();
  },
  async deleteAll(ctx, o, s) {
    await s.put("a", 1);
    s.sql.exec("CREATE TABLE t (x)");
    const c = s.sql.exec("SELECT 1 UNION SELECT 2");
    c.next();
    await s.setAlarm(Date.now() + 5000);
    await s.sync();
    const p = s.deleteAll();
    s.put("b", 2);
    await p;
    return [
      (await s.list()).size,
      await s.getAlarm(),
      s.sql.exec("SELECT count(*) AS n FROM sqlite_master WHERE name = 't'").one().n,
      await caught(() => c.next()),
    ].join("|");
  },
  async transaction(ctx, o, s) {
    await s.put("a", 1);
    const r = await s.transaction(async (t) => {
      await t.put("a", 2);
      await s.put("b", 3);
      return "res";
    });
    const e = await caught(() =>
      s.transaction(async (t) => {
        await t.put("a", 9);
        s.sql.exec("CREATE TABLE lost (x)");
        throw new Error("no");
      }),
    );
    let after, rolled;
    const keep = await s.transaction(async (t) => {
      after = t;
      await t.put("a", 10);
      t.rollback();
      t.rollback();
      rolled = await caught(() => t.put("a", 1));
      return "kept";
    });
    const late = await s.transaction((t) => ((after = t), 5));
    const inner = await s.transaction(async (t) => {
      await s.put("o", 1);
      await caught(() =>
        s.transaction(async () => {
          await s.put("i", 1);
          throw 1;
        }),
      );
      return 1;
    });
    return [
      r,
      e,
      keep,
      rolled,
      late,
      await caught(() => after.get("a")),
      await s.get("a"),
      await s.get("b"),
      await s.get("o"),
      await s.get("i"),
      await caught(() => s.transaction(5)),
      await caught(() => s.transaction((t) => t.deleteAll())),
    ].join("\n");
  },
  async transactionSync(ctx, o, s) {
    s.sql.exec("CREATE TABLE t (x)");
    const e = await caught(() =>
      s.transactionSync(() => {
        s.sql.exec("INSERT INTO t VALUES (1)");
        s.kv.put("k", 1);
        throw new Error("undo");
      }),
    );
    const v = s.transactionSync(() => {
      s.sql.exec("INSERT INTO t VALUES (2)");
      return 7;
    });
    return [
      e,
      v,
      s.sql.exec("SELECT count(*) n FROM t").one().n,
      s.kv.get("k"),
      await caught(() => s.transactionSync(1)),
    ].join("|");
  },
  async sql(ctx, o, s) {
    const q = (...a) => s.sql.exec(...a);
    q("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, b BLOB)");
    q("INSERT INTO t VALUES (?, ?, ?), (2, 'z', NULL)", 1, "a", new Uint8Array([1, 2]));
    const c = q("SELECT * FROM t ORDER BY id");
    const first = c.next();
    const rest = c.toArray();
    return [
      JSON.stringify(first),
      new Uint8Array(first.value.b).join(),
      JSON.stringify(rest),
      JSON.stringify(c.toArray()),
      c.columnNames.join(),
      JSON.stringify([...q("SELECT id, v FROM t").raw()]),
      JSON.stringify(q("SELECT 2+3, 1 a, 2 a").one()),
      q("SELECT typeof(?) t", 5).one().t,
      q("SELECT ?1 || ?1 x", true).one().x,
      JSON.stringify(q("SELECT id FROM t").raw().toArray()),
      Object.keys(q("SELECT id FROM t").next()).join(),
      q("SELECT 1e400 x").one().x,
      q("SELECT 9007199254740993 x").one().x,
      s.sql === s.sql,
      s.sql.databaseSize > 4096,
      q("SELECT id FROM t").toArray().length,
      [...q("SELECT id FROM t")].length,
    ].join("|");
  },
  async sqlErrors(ctx, o, s) {
    const q = (...a) => caught(() => s.sql.exec(...a));
    s.sql.exec("CREATE TABLE t (id INTEGER PRIMARY KEY)");
    s.sql.exec("INSERT INTO t VALUES (1)");
    const out = [];
    for (const a of [
      ["SELEC"],
      ["SELECT * FROM nope"],
      ["SELECT zz"],
      ["INSERT INTO t VALUES (1)"],
      ["SELECT ?"],
      ["SELECT 1; SELECT ?; SELECT 2", 1],
      [""],
      ["BEGIN"],
      ["SELECT * FROM _cf_KV"],
      ["SELECT ?", 5n],
      ["SELECT ?", Symbol("q")],
      ["CREATE TEMP TABLE x (y)"],
    ])
      out.push(await q(...a));
    out.push(
      await caught(() => s.sql.exec("SELECT * FROM t WHERE 0").one()),
      await caught(() => s.sql.exec("SELECT 1 UNION SELECT 2").one()),
    );
    return out.join("\n");
  },
  async syncKV(ctx, o, s) {
    const kv = s.kv;
    kv.put("a", 1);
    kv.put("u", undefined);
    await s.put("b", 2);
    const it = kv.list();
    const first = it.next().value;
    const other = kv.list({ prefix: "b" });
    return [
      kv.get("b"),
      await s.get("a"),
      first,
      await caught(() => it.next()),
      JSON.stringify([...other]),
      kv.delete("u"),
      kv.delete("zz"),
      await caught(() => kv.put("k")),
      kv
        .list()
        .map((e) => e[0])
        .toArray()
        .join(),
    ].join("|");
  },
  async bookmarks(ctx, o, s) {
    const a = await s.getCurrentBookmark();
    await s.put("z", 1);
    const b = await s.getCurrentBookmark();
    return [a.length, a < b].join("|");
  },
  async setAlarm(ctx, o, s) {
    const out = [];
    for (const v of [0, -1, NaN, new Date(NaN), "x", null, undefined, 5n, 8e12])
      out.push(await caught(() => s.setAlarm(v)));
    await s.setAlarm(new Date(Date.now() + 1e6));
    out.push((await s.getAlarm()) - Date.now());
    await s.setAlarm(1);
    out.push((await s.getAlarm()) - Date.now());
    await s.deleteAlarm();
    out.push(await s.getAlarm());
    return out.join("\n");
  },
  async noAlarm(ctx, o, s) {
    return caught(() => s.setAlarm(Date.now() + 5));
  },
  async noSQL(ctx, o, s) {
    return [
      (await caught(() => s.sql.exec("SELECT 1"))).slice(0, 50),
      (await caught(() => s.kv.get("a"))).slice(0, 60),
      await caught(() => s.transactionSync(() => 3)),
    ].join("|");
  },
};
const kOnly = runIn("K");
const tests = new Proxy({ noAlarm: kOnly.noAlarm, noSQL: kOnly.noSQL }, { get: (t, n) => t[n] ?? runIn("S")[n] });
