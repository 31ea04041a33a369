const a = (env) => env.A.getByName("a");
const tests = {
  shape(env) {
    const s = a(env);
    return [
      Object.keys(s).join(),
      typeof s.foo,
      "foo" in s,
      s.then === undefined,
      Object.prototype.toString.call(s.foo),
      String(s),
      s[0],
      JSON.stringify(s),
    ].join(" ");
  },
  async awaited(env) {
    const s = a(env);
    return (await s) === s;
  },
  promise(env) {
    const p = a(env).echo(1);
    return [typeof p, p instanceof Promise, Object.prototype.toString.call(p), typeof p.then].join(" ");
  },
  async all(env) {
    const s = a(env);
    const p = s.echo(2);
    return [await p, await p, (await Promise.all([s.echo(1), s.echo("x")])).join()].join(" ");
  },
  async arity(env) {
    const s = a(env);
    return [await s.count(), await s.count(undefined), await s.count(1, 2)].join();
  },
  async members(env) {
    const s = a(env);
    const out = [await s._under(), await s.getter, await s.later];
    for (const n of ["field", "arrow", "s", "ctx", "env", "setter", "hasOwnProperty2", "nope"])
      out.push(await caught(() => s[n]()));
    return out.join("\n");
  },
  async notFunction(env) {
    return caught(() => a(env).getter());
  },
  async pipelining(env) {
    const s = a(env);
    return [
      await s.objGetter.f(4),
      await s.objGetter.n,
      await s.target("P").hi("z"),
      await s.fn(3)(4),
      await caught(() => s.echo(5).nope()),
    ].join("|");
  },
  async reserved(env) {
    const s = a(env);
    return [
      await caught(() => s.alarm()),
      await caught(() => s.webSocketMessage()),
      await caught(() => s.dup()),
    ].join("\n");
  },
  async detached(env) {
    const f = a(env).echo;
    return f(8);
  },
  async values(env) {
    const s = a(env);
    const o = {
      d: new Date(5),
      m: new Map([[1, { x: 1 }]]),
      s: new Set([1]),
      r: /x/g,
      b: 5n,
      u: new Uint8Array([1, 2]),
      e: new RangeError("e"),
      n: NaN,
      z: -0,
      i: Infinity,
      un: undefined,
    };
    o.self = o;
    const r = await s.echo(o);
    return [
      r.d.getTime(),
      r.m.get(1).x,
      r.s.has(1),
      r.r.source,
      r.b === 5n,
      r.u.join(),
      r.e.name,
      Number.isNaN(r.n),
      Object.is(r.z, -0),
      r.i,
      "un" in r,
      r.self === r,
      r !== o,
    ].join();
  },
  async callbacks(env) {
    const s = a(env);
    return [
      await s.callback((x) => x * 2),
      await s.callback(async (x) => {
        await sleep(1);
        return x;
      }),
    ].join();
  },
  async dies(env) {
    const s = a(env);
    await s.keep((x) => x + 1);
    return [await s.useKept(), await s.useDup()].join("|");
  },
  async disposal(env) {
    log.length = 0;
    const t = await a(env).target("D");
    await t.hi(1);
    t[Symbol.dispose]();
    await sleep(5);
    return log.join() + "|" + (await caught(() => t.hi(1)));
  },
  async wraps() {
    return [
      await caught(() => new RpcStub(5)),
      await caught(() => new RpcStub(new Date())),
      await new RpcStub({ x: 4 }).x,
      await new RpcStub((y) => y + 1)(2),
    ].join("|");
  },
  async errors(env) {
    const s = a(env);
    const out = [];
    for (const k of ["type", "custom", "dom", "string", "object", "null", "plain"])
      out.push(await caught(() => s.boom(k)));
    try {
      await s.boom("type");
    } catch (e) {
      out.push(e.code + " " + (e instanceof TypeError));
    }
    return out.join("\n");
  },
  async clone(env) {
    const s = a(env);
    const out = [];
    for (const v of [
      new (class Foo {})(),
      Symbol("q"),
      new WeakMap(),
      s,
      env.A,
      new URL("http://x/"),
      Object.create(null),
      env.A.idFromName("x"),
    ])
      out.push(await caught(() => s.echo(v)));
    out.push(await caught(() => s.plain()));
    return out.join("\n");
  },
  async errorValue(env) {
    const e = await a(env).errorValue();
    return [e.name, e.message, e.code].join();
  },
  async streams(env) {
    const s = a(env);
    const r = await s.response();
    const { readable, writable } = new IdentityTransformStream();
    s.write(writable);
    return [
      await new Response(await s.stream()).text(),
      r.status,
      r.headers.get("a"),
      await r.text(),
      await s.request(new Request("http://h/p", { method: "POST", body: "body", headers: { x: "y" } })),
      await new Response(readable).text(),
    ].join("|");
  },
  async limit(env) {
    return caught(() => a(env).echo("x".repeat(33 * 1024 * 1024)));
  },
  async order(env) {
    const s = a(env);
    log.length = 0;
    s.slow(0);
    s.echo(1);
    await env.A.getByName("a").slow(5);
    return log.join();
  },
  async ends(env) {
    log.length = 0;
    a(env).slow(30);
    return "gone";
  },
  async ended(env) {
    await sleep(100);
    return log.join();
  },
  async nested(env) {
    return a(env).self();
  },
  async plainClass(env) {
    const p = env.P.getByName("p");
    return [await (await p.fetch("http://x/")).text(), await caught(() => p.foo())].join("|");
  },
  async relative(env) {
    return [await caught(() => a(env).fetch("/foo")), await caught(() => a(env).fetch())].join("|");
  },
  async noFetch(env) {
    return caught(() => a(env).fetch("http://x/"));
  },
  async handlerThrows(env) {
    const s = env.Reset.getByName("h");
    await s.add();
    await caught(() => s.bump());
    return s.add();
  },
  async abort(env) {
    const s = env.Reset.getByName("r");
    await s.add();
    const out = [await caught(() => s.abort("why")), await caught(() => s.add())];
    const n = env.Reset.getByName("r");
    return [...out, await n.add(), await n.lost()].join("\n");
  },
  async abortPlain(env) {
    return caught(() => env.Reset.getByName("r2").abort());
  },
  async section(env) {
    const s = env.Reset.getByName("s");
    const other = s.add();
    return [
      await caught(() => s.section()),
      await other,
      await caught(() => s.add()),
      await env.Reset.getByName("s").add(),
    ].join("\n");
  },
  async sectionTime(env) {
    const s = env.Reset.getByName("t");
    return [await caught(() => s.hang()), await caught(() => s.add())].join("\n");
  },
  async bad(env) {
    const s = env.Bad.getByName("b");
    return [await caught(() => s.x()), await caught(() => s.x()), await caught(() => s.fetch("http://x/"))].join(
      "\n",
    );
  },
  async ids(env) {
    const id = env.A.idFromName("a");
    const out = [
      String(id) === env.A.idFromString(String(id).toUpperCase()).toString(),
      id.equals(env.A.idFromName("a")),
      JSON.stringify(id),
      JSON.stringify(env.A.newUniqueId()),
      env.A.newUniqueId().name,
    ];
    out.push(
      await caught(() => env.A.idFromString("x")),
      await caught(() => env.A.idFromString("00".repeat(32))),
      await caught(() => env.A.idFromName()),
      await caught(() => env.A.get("a")),
      await caught(() => env.A.newUniqueId({ jurisdiction: "eu" })),
      await caught(() => env.A.get(id, { routingMode: "zzz" })),
    );
    return out.join("\n");
  },
};
