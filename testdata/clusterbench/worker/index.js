import { DurableObject } from "cloudflare:workers";

// Objects and handler of one node are in one isolate, so this tells nodes apart.
let isolate;
const here = () => (isolate ??= crypto.randomUUID());
let seen = 0;

export class Counter extends DurableObject {
  async add() {
    const value = ((await this.ctx.storage.get("value")) ?? 0) + 1;
    await this.ctx.storage.put("value", value);
    return value;
  }
  value() { return this.ctx.storage.get("value"); }
  where() { return here(); }
  // One row more and one row less, and an alarm.
  async turn(n) {
    await this.ctx.storage.put("k" + (n % 50), "x".repeat(200));
    await this.ctx.storage.delete("k" + ((n + 25) % 50));
    await this.ctx.storage.setAlarm(Date.now() + 1000);
  }
  alarm() { seen++; }
}

// named finds so many objects that are on this node, or on another one.
async function named(env, count, elsewhere) {
  const list = [];
  for (let i = 0; list.length < count && i < 20 * count + 50; i++) {
    const o = env.COUNTER.getByName("object " + i);
    if ((await o.where() !== here()) === elsewhere) list.push(o);
  }
  return list;
}

// shared does work n times, by so many at once.
async function shared(many, n, work) {
  let left = n;
  await Promise.all(Array.from({ length: many }, async (_, i) => { while (left-- > 0) await work(i, left); }));
}

const kept = new Map();
export default {
  async fetch(request, env) {
    const url = new URL(request.url), n = Number(url.searchParams.get("n") ?? 1);
    const many = Number(url.searchParams.get("many") ?? 1), elsewhere = url.searchParams.has("elsewhere");
    const objects = async () => {
      const key = many + " " + elsewhere;
      if (!kept.has(key)) kept.set(key, await named(env, many, elsewhere));
      const list = kept.get(key);
      if (list.length < many) kept.delete(key);
      return list;
    };
    switch (url.pathname) {
      case "/": return new Response("Hello World!");
      case "/objects": return new Response(String((await objects()).length));
      case "/increment": { const list = await objects(); await shared(many, n, (i) => list[i].add()); return new Response("ok"); }
      case "/read": { const list = await objects(); await shared(many, n, (i) => list[i].value()); return new Response("ok"); }
      case "/send": await shared(many, n, (_, left) => env.KEPT.send({ id: left, text: "a message" })); return new Response("ok");
      case "/rows": await Promise.all([
        shared(many, n, (i, left) => env.Q.send({ id: left, text: "a message ".repeat(20) })),
        shared(many, n, (i, left) => env.COUNTER.getByName("row " + (left % 500)).turn(left)),
      ]); return new Response("ok");
      case "/seen": return new Response(String(seen));
    }
    return new Response("no such path", { status: 404 });
  },
  queue(batch) { seen += batch.messages.length; },
};
