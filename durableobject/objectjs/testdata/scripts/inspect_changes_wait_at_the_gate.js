let release;
export class L extends DurableObject {
  make() {
    this.ctx.storage.sql.exec("CREATE TABLE t (a)");
  }
  block() {
    this.ctx.blockConcurrencyWhile(
      () =>
        new Promise((done) => {
          release = done;
        }),
    );
  }
  rows() {
    return this.ctx.storage.sql.exec("SELECT a FROM t").toArray().length;
  }
  fetch() {
    return new Response("let in");
  }
  forever() {
    return new Promise(() => {});
  }
}
let ended;
const tests = {
  block: async (env) => {
    await env.L.getByName("a").make();
    await env.L.getByName("a").block();
    return "ok";
  },
  knock: async (env, ctx) => {
    const a = env.L.getByName("a");
    ctx.waitUntil(a.rows());
    ctx.waitUntil(a.fetch("http://o/room?of=1"));
    return "ok";
  },
  release: async (env) => {
    const rows = env.L.getByName("a").rows();
    release();
    return String(await rows);
  },
  hang: async (env, ctx) => {
    ctx.waitUntil(
      (ended = env.L.getByName("a")
        .forever()
        .catch((e) => [e.message, e.durableObjectReset].join())),
    );
    return "ok";
  },
  ended: () => ended,
};
