const log = [];
class Counter extends RpcTarget {
  #n = 0;
  field = "own";
  static kind = "counter";
  get value() {
    return this.#n;
  }
  up(by = 1) {
    this.#n += by;
    return this.#n;
  }
  [Symbol.dispose]() {
    log.push("disposed");
  }
}
class Target extends RpcTarget {
  constructor() {
    super();
    this.field = 1;
  }
  get getter() {
    return "got";
  }
  get nested() {
    return { deep: { er: (x) => x + 1 } };
  }
  add(a, b) {
    return a + b;
  }
  echo(...args) {
    return args;
  }
  count(...args) {
    return args.length;
  }
  counter() {
    return new Counter();
  }
  fail(name) {
    const E =
      globalThis[name] ??
      class extends Error {
        name = "Mine";
      };
    throw new E("no");
  }
  throwPlain(x) {
    throw x;
  }
  async slow(x) {
    await null;
    log.push("slow " + x);
    return x;
  }
  quick(x) {
    log.push("quick " + x);
    return x;
  }
  keep(f) {
    this.kept = f.dup?.() ?? f;
    return f(1);
  }
  again() {
    return this.kept(2);
  }
  twice(f) {
    return Promise.all([f(1), f(2)]);
  }
}
globalThis.make = () => new Target();
const target = globalThis.remote ?? new RpcStub(make());
const text = async (f) => {
  try {
    return String(await f());
  } catch (e) {
    return e.name + ": " + e.message;
  }
};
