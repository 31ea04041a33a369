import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
let built = 0, tries = 0, trace = [];
export class Extended extends DurableObject {
  constructor(...args) { super(...args); built++; trace.push("ctor"); this.args = args.length; }
  shape() { trace.push("method"); return [own(this), this.args, this.constructor.name,
    this.env === undefined].join(" "); }
  fetch() { trace.push("fetch"); return new Response("extended"); }
  context() { const c = this.ctx; return { own: own(c), methods: own(Object.getPrototypeOf(c)),
    props: JSON.stringify(c.props), container: String(c.container), tag: Object.prototype.toString.call(c),
      self: [typeof c.storage, typeof c.exports, typeof c.facets, String(c.id)].join() }; }
  tables() { return this.ctx.storage.sql.exec("SELECT name FROM sqlite_master").toArray().map((r) => r.name); }
  put() { this.ctx.storage.kv.put("a", 1); }
}
export class Plain {
  constructor(...args) { built++; this.seen = [own(this), args.length, args[0].id.name,
    Object.keys(args[1]).includes("PLAIN")].join(" "); }
  fetch() { return new Response(this.seen); }
  method() { return 1; }
}
export class Bare { fetch() { return new Response(String(this.state.id)); } }
export class BareEnv { fetch() { return new Response(String(this.env.PLAIN)); } }
export class Fails extends DurableObject {
  constructor(ctx, env) { super(ctx, env); if (++tries % 2) throw new RangeError("built badly " + tries); }
  hello() { return "hello"; }
  fetch() { return new Response("hello"); }
}
export class NoFetch extends DurableObject { hello() { return 1; } }
export class Wrong extends DurableObject { async fetch() { return "text"; } }
const request = () => new Request("http://x/");
const cases = {
  "CL1 extended": (env) => env.EXTENDED.getByName("a").shape(),
  "CL1 plain": async (env) => (await env.PLAIN.getByName("a").fetch(request())).text(),
  "CL1 plain rpc": (env) => env.PLAIN.getByName("a").method(),
  "CL2 state": (env) => env.BARE.getByName("a").fetch(request()),
  "CL2 env": (env) => env.BAREENV.getByName("a").fetch(request()),
  "CL3 lazy": async (env) => { trace = []; const before = built; const stub = env.EXTENDED.getByName("lazy");
    const id = stub.id; await scheduler.wait(0); const none = built - before; await stub.fetch(request());
      return [none, built - before, trace.join()]; },
  "CL4 waiting": async (env) => { tries = 0; const stub = env.FAILS.getByName("w");
    const a = attempt(() => stub.hello()), b = attempt(() => stub.hello());
      const out = [await a, await b, await attempt(() => stub.hello())];
        return [...out, await attempt(() => env.FAILS.getByName("w").hello())].join(" | "); },
  "CL4 fetch": async (env) => { tries = 0; const stub = env.FAILS.getByName("f");
    const out = [await attempt(() => stub.fetch(request())), await attempt(() => stub.fetch(request()))];
      return [...out, await attempt(async () => (await env.FAILS.getByName("f").fetch(request())).text())].join(" | ");
        },
  "CL5 class": (env) => env.NOFETCH.getByName("a").fetch(request()),
  "CL6 wrong": (env) => env.WRONG.getByName("a").fetch(request()),
  "CL13 context": (env) => env.EXTENDED.getByName("ctx").context(),
  "CL15 tables": async (env) => { await env.EXTENDED.getByName("t").put();
    return (await env.EXTENDED.getByName("t").tables()).join(); },
  "CL15 name": async (env) => (await env.EXTENDED.getByName("a").shape()).split(" ")[2],
};
