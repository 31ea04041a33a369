class Target extends RpcTarget {
  constructor(p) {
    super();
    this.p = p;
  }
  hi(x) {
    return this.p + x;
  }
  [Symbol.dispose]() {
    log.push("disposed " + this.p);
  }
}
const log = [];
class MyErr extends Error {
  name = "MyErr";
}
export class A extends DurableObject {
  field = 1;
  arrow = () => 1;
  static s() {}
  #p() {}
  echo(...args) {
    return args.length === 1 ? args[0] : args;
  }
  count() {
    return arguments.length;
  }
  get getter() {
    return 7;
  }
  get later() {
    return Promise.resolve(8);
  }
  get objGetter() {
    return { f: (n) => n * 2, n: 1 };
  }
  set setter(v) {}
  _under() {
    return "u";
  }
  target(p) {
    return new Target(p);
  }
  fn(n) {
    return (x) => x + n;
  }
  async callback(f) {
    return (await f(20)) + 1;
  }
  async keep(f) {
    this.kept = f;
    this.dup = f.dup();
  }
  async useKept() {
    return await caught(() => this.kept(1));
  }
  async useDup() {
    return await this.dup(1);
  }
  boom(kind) {
    if (kind === "type") throw Object.assign(new TypeError("t"), { code: 5 });
    if (kind === "custom") throw new MyErr("custom");
    if (kind === "dom") throw new DOMException("d", "AbortError");
    if (kind === "string") throw "a string";
    if (kind === "object") throw { a: 1 };
    if (kind === "null") throw null;
    throw new Error("plain");
  }
  plain() {
    return new (class Plain {})();
  }
  errorValue() {
    return Object.assign(new RangeError("as value"), { code: 1 });
  }
  stream() {
    return new Response("streamed").body;
  }
  response() {
    return new Response("resp", { status: 201, headers: { a: "b" } });
  }
  async request(r) {
    return r.method + " " + r.url + " " + r.headers.get("x") + " " + (await r.text());
  }
  async write(w) {
    const g = w.getWriter();
    await g.write(new TextEncoder().encode("into"));
    await g.close();
  }
  late() {
    setTimeout(() => log.push("late"), 50);
    return 1;
  }
  async slow(n) {
    await sleep(n);
    log.push("slow" + n);
    return n;
  }
  big(n) {
    return "x".repeat(n);
  }
  self() {
    return this.env.A.getByName("other").echo("via");
  }
}
export class P {
  constructor(state, env) {
    this.state = state;
  }
  foo() {
    return 1;
  }
  fetch() {
    return new Response("plain class");
  }
}
export class Reset extends DurableObject {
  n = 0;
  add() {
    return ++this.n;
  }
  abort(r) {
    this.ctx.storage.put("lost", 1);
    this.ctx.abort(r);
  }
  bump() {
    throw new Error("bump");
  }
  async lost() {
    return (await this.ctx.storage.get("lost")) ?? "nothing";
  }
  async section() {
    try {
      await this.ctx.blockConcurrencyWhile(async () => {
        throw new Error("in section");
      });
    } catch (e) {
      return "caught";
    }
  }
  async hang() {
    await this.ctx.blockConcurrencyWhile(() => new Promise(() => {}));
  }
}
export class Bad extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    throw new Error("ctor");
  }
  x() {}
}
