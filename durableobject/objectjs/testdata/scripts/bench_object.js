import { DurableObject } from "cloudflare:workers";
export class B extends DurableObject {
  echo(x) {
    return x;
  }
  async inc() {
    const n = ((await this.ctx.storage.get("n")) ?? 0) + 1;
    await this.ctx.storage.put("n", n);
    return n;
  }
  inserts(n) {
    const sql = this.ctx.storage.sql;
    sql.exec("CREATE TABLE IF NOT EXISTS t (a, b)");
    for (let i = 0; i < n; i++) sql.exec("INSERT INTO t VALUES (?, ?)", i, "x");
  }
  fill() {
    const sql = this.ctx.storage.sql;
    sql.exec("CREATE TABLE IF NOT EXISTS r (id INTEGER PRIMARY KEY, name TEXT, score REAL)");
    if (!sql.exec("SELECT count(*) n FROM r").one().n)
      for (let i = 0; i < 1000; i++) {
        sql.exec("INSERT INTO r (name, score) VALUES (?, ?)", "name " + i, i / 3);
        this.ctx.storage.kv.put("key" + i, { i, name: "name " + i });
      }
  }
  rows(n) {
    this.fill();
    let k = 0;
    for (let i = 0; i < n; i += 1000)
      k += this.ctx.storage.sql.exec("SELECT id, name, score FROM r").toArray().length;
    return k;
  }
  one(n) {
    this.fill();
    for (let i = 0; i < n; i++) this.ctx.storage.sql.exec("SELECT name FROM r WHERE id = ?", 1 + (i % 1000)).one();
  }
  async gets(n) {
    this.fill();
    for (let i = 0; i < n; i++) await this.ctx.storage.get("key" + (i % 1000));
  }
  async lists(n) {
    this.fill();
    for (let i = 0; i < n; i += 1000) await this.ctx.storage.list();
  }
  async transactions(n) {
    for (let i = 0; i < n; i++)
      await this.ctx.storage.transaction(async (t) => {
        await t.put("n", ((await t.get("n")) ?? 0) + 1);
      });
  }
  insert() {
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS t (a, b)");
    this.ctx.storage.sql.exec("INSERT INTO t VALUES (?, ?)", 1, "x");
    return 1;
  }
}
const run = {
  async echo(env, n) {
    const s = env.B.getByName("a");
    for (let i = 0; i < n; i++) await s.echo(i);
  },
  async object(env, n) {
    const s = env.B.getByName("a");
    for (let i = 0; i < n; i++) await s.echo({ i, a: [1, 2, 3] });
  },
  async inc(env, n) {
    const s = env.B.getByName("a");
    for (let i = 0; i < n; i++) await s.inc();
  },
  async incParallel(env, n) {
    const s = env.B.getByName("a");
    for (let i = 0; i < n; i += 100) await Promise.all(Array.from({ length: Math.min(100, n - i) }, () => s.inc()));
  },
  async insert(env, n) {
    const s = env.B.getByName("a");
    for (let i = 0; i < n; i++) await s.insert();
  },
  inserts: (env, n) => env.B.getByName("a").inserts(n),
  rows: (env, n) => env.B.getByName("a").rows(n),
  one: (env, n) => env.B.getByName("a").one(n),
  gets: (env, n) => env.B.getByName("a").gets(n),
  lists: (env, n) => env.B.getByName("a").lists(n),
  transactions: (env, n) => env.B.getByName("a").transactions(n),
  async many(env, n) {
    for (let i = 0; i < n; i++) await env.B.getByName("o" + i).echo(1);
  },
};
export default {
  async fetch(request, env) {
    const u = new URL(request.url);
    await run[u.pathname.slice(1)](env, Number(u.searchParams.get("n")));
    return new Response("ok");
  },
};
