import { DurableObject } from "cloudflare:workers";
let born = 0;
export class A extends DurableObject {
  constructor(ctx, env) { super(ctx, env); born++; this.n = 0; }
  inc() { return ++this.n; }
  called() { return this.ctx.id.name; }
  async arm() { await this.ctx.storage.setAlarm(Date.now() + 60000); }
  async alarm() { await this.ctx.storage.put("name", String(this.ctx.id.name)); }
  woken() { return this.ctx.storage.get("name"); }
}
export class B extends DurableObject { hex() { return String(this.ctx.id); } }
const clone = (v) => structuredClone(v);
const cases = {
  "ID1 methods": (env) => own(Object.getPrototypeOf(env.A)),
  "ID1 own": (env) => own(env.A),
  "ID1 constructor": (env) => new env.A.constructor(),
  "ID1 name": (env) => env.A.constructor.name,
  "ID1 global": () => typeof DurableObjectNamespace,
  "ID5 coerced": (env) => [42, null, undefined, {}].map((v) => env.A.idFromName(v).name),
  "ID5 same": (env) => env.A.idFromName(undefined).equals(env.A.idFromName("undefined")),
  "ID5 nothing": (env) => env.A.idFromName(),
  "ID5 symbol": (env) => env.A.idFromName(Symbol("x")),
  "ID5 empty": (env) => env.A.idFromName("").name === "",
  "ID6 unique": (env) => { const a = env.A.newUniqueId(), b = env.A.newUniqueId();
    return [a.equals(b), a.name, env.A.idFromString(a.toString()).equals(a)].map(String); },
  "ID6 eu": (env) => env.A.newUniqueId({ jurisdiction: "eu" }),
  "ID6 subnamespace": (env) => env.A.jurisdiction("eu"),
  "ID6 null": (env) => env.A.newUniqueId({ jurisdiction: null }).toString().length,
  "ID6 none": (env) => typeof env.A.jurisdiction().get,
  "ID7 lower": (env) => { const id = env.A.idFromName("a").toString();
    return env.A.idFromString(id.toUpperCase()).toString() === id; },
  "ID7 short": (env) => env.A.idFromString("abc"),
  "ID7 not hex": (env) => env.A.idFromString("z".repeat(64)),
  "ID7 other": (env) => env.A.idFromString(env.B.idFromName("a").toString()),
  "ID7 name": (env) => env.A.idFromString(env.A.idFromName("a").toString()).name,
  "ID8 own": (env) => Object.entries(Object.getOwnPropertyDescriptors(env.A.idFromName("a"))).map(([k, d]) =>
    [k, String(d.value), d.enumerable, d.writable].join(" ")).sort(),
  "ID8 absent": (env) => { const d = Object.getOwnPropertyDescriptor(env.A.newUniqueId(), "name");
    return [String(d.value), d.enumerable, d.writable]; },
  "ID8 methods": (env) => own(Object.getPrototypeOf(env.A.idFromName("a"))),
  "ID8 json": (env) => JSON.stringify([env.A.idFromName("a"), env.A.newUniqueId()]),
  "ID8 hex": (env) => { const id = env.A.idFromName("a"); return String(id) === id.toString() &&
    /^[0-9a-f]{64}$/.test(String(id)); },
  "ID8 tag": (env) => Object.prototype.toString.call(env.A.idFromName("a")),
  "ID8 equals": (env) => [env.A.idFromName("a").equals(env.A2.idFromName("a")),
    env.A.idFromName("a").equals(env.B.idFromName("a"))],
  "ID8 no id": (env) => env.A.idFromName("a").equals("a"),
  "ID9 string": (env) => env.A.get("a"),
  "ID9 null": (env) => env.A.get(null),
  "ID9 nothing": (env) => env.A.get(),
  "ID9 foreign": async (env) => { const id = env.A.idFromName("foreign");
    return (await env.B.get(id).hex()) === String(id); },
  "ID10 hint": (env) => ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me",
    "nowhere"].map((locationHint) => env.A.get(env.A.idFromName("a"), { locationHint }).name).join(""),
  "ID10 primary": (env) => env.A.get(env.A.idFromName("a"), { routingMode: "primary-only" }).name,
  "ID10 routing": (env) => env.A.get(env.A.idFromName("a"), { routingMode: "zzz" }),
  "ID11 same": (env) => env.A.getByName("n").id.equals(env.A.get(env.A.idFromName("n")).id),
  "ID11 lazy": async (env) => { const before = born; const stub = env.A.getByName("lazy"); await scheduler.wait(0);
    const between = born; await stub.inc(); return [between - before, born - before]; },
  "ID12 id": (env) => clone(env.A.idFromName("a")),
  "ID12 namespace": (env) => clone(env.A),
  "ID13 ids": (env) => env.A.idFromName("x").equals(env.A2.idFromName("x")),
  "ID13 instance": async (env) => [await env.A.getByName("shared").inc(), await env.A2.getByName("shared").inc(),
    await env.A.get(env.A2.idFromName("shared")).inc()],
  // One request, because time may pass between two, and an idle object leaves memory.
  "ID14 named": async (env) => [await env.A.getByName("inside").called(),
    await env.A.get(env.A.idFromString(env.A.idFromName("inside").toString())).called()],
  "ID14 unnamed": (env) => env.A.get(env.A.idFromString(env.A.idFromName("never named").toString())).called(),
  "ID14 arm": (env) => env.A.getByName("alarm").arm(),
  "ID14 woken": (env) => env.A.get(env.A.idFromString(env.A.idFromName("alarm").toString())).woken(),
};
