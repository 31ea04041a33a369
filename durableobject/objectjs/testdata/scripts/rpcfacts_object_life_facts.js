const tests = {
  names: async (env) => {
    const s = a(env, "names");
    const out = [];
    for (const n of ["call", "apply", "bind"]) out.push(await fails(s.who[n](null)));
    const f = s.who;
    return [...out, await f()].join("\n");
  },
  opaque: async (env) => {
    const s = a(env, "o");
    return [
      await fails(s.list().length),
      await fails(s.list().map(() => 1)),
      await fails(s.list()),
      await fails(s.date().getTime()),
    ].join("\n");
  },
  disposedPromise: async (env) => {
    const p = a(env, "d").target();
    p[Symbol.dispose]();
    return [await fails(p.hi()), await fails(p()), await fails(p.name)].join("\n");
  },
  limits: async (env) =>
    [
      await fails(a(env, "l").size(new Uint8Array(33 << 20))),
      await fails(a(env, "l").big(33 << 20)),
      (await a(env, "l").big((32 << 20) - 64)).byteLength,
      await a(env, "l").size(new Uint8Array((32 << 20) - 64)),
    ].join("\n"),
  reset: async (env) => {
    const s = a(env, "r");
    const waiting = s.wait(1000),
      fetching = s.fetch("http://x/slow");
    return [
      await fails(s.abort()),
      await fails(waiting),
      await fails(fetching),
      await fails(s.add()),
      await fails(s.fetch("http://x/")),
      await fails(a(env, "r").add()),
    ].join("\n");
  },
  overloaded: async (env) => {
    const s = a(env, "o");
    const stuck = s.stuck(),
      queued = s.add();
    return [await fails(stuck), await fails(queued), await fails(s.add()), await fails(a(env, "o").add())].join(
      "\n",
    );
  },
  keeps: async (env) => {
    const s = a(env, "k");
    return [await fails(s.bump()), await fails(s.fetch("http://x/throw")), await s.add(), await s.other()].join(
      "\n",
    );
  },
  leave: (env) => {
    a(env, "run").wait(50);
    a(env, "run").fetch("http://x/slow");
    return "gone";
  },
  left: async (env) => {
    await sleep(200);
    return String(slept);
  },
  constructor: async (env) => {
    const s = env.Once.getByName("c");
    const first = s.n(),
      second = s.n();
    return [
      await fails(first),
      await fails(second),
      await fails(s.n()),
      await fails(s.fetch("http://x/")),
      await env.Once.getByName("c").n(),
      log.length,
    ].join("\n");
  },
  fetchFirst: async (env) => {
    log.length = 0;
    const s = env.Once.getByName("d");
    return [
      await fails(s.fetch("http://x/")),
      await fails(s.fetch("http://x/")),
      await (await env.Once.getByName("d").fetch("http://x/")).text(),
    ].join("\n");
  },
  waitUntil: async (env) =>
    [
      await a(env, "w").waitUntilFails(),
      await a(env, "w").later(),
      await sleep(100),
      await a(env, "w").add(),
    ].join(),
  timer: async (env) => [await a(env, "t").timerThrows(), await sleep(10), await a(env, "t").add()].join(),
  floating: async (env) => [await a(env, "f").floating(), await sleep(10), await a(env, "f").add()].join(),
  storage: async (env) =>
    [await a(env, "s").badPut(), await sleep(10), await a(env, "s").other(), await a(env, "s").add()].join(),
};
