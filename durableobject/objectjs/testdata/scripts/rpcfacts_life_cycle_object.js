export class A extends DurableObject {
  n = 0;
  add() {
    return ++this.n;
  }
  who() {
    return "a";
  }
  list() {
    return [1, 2];
  }
  date() {
    return new Date();
  }
  target() {
    return new (class extends RpcTarget {
      hi() {
        return "hi";
      }
    })();
  }
  async wait(ms) {
    await sleep(ms);
    slept++;
    return ++this.n;
  }
  async waitUntilFails() {
    this.ctx.waitUntil(Promise.reject(new Error("waited")));
    return "answered";
  }
  async later() {
    this.ctx.waitUntil(
      sleep(20).then(() => {
        this.n += 10;
      }),
    );
    setTimeout(() => {
      this.n += 100;
    }, 30);
    return "answered";
  }
  timerThrows() {
    setTimeout(() => {
      throw new Error("timer");
    }, 1);
    return "answered";
  }
  floating() {
    Promise.reject(new Error("floating"));
    return "answered";
  }
  badPut() {
    this.ctx.storage.put("k", () => {});
    this.ctx.storage.put("other", 1);
    return "answered";
  }
  async other() {
    return (await this.ctx.storage.get("other")) + "," + (await this.ctx.storage.get("k"));
  }
  bump() {
    this.ctx.storage.put("other", ++this.n);
    throw new TypeError("bump");
  }
  async fetch(r) {
    const u = new URL(r.url);
    if (u.pathname === "/throw") throw new RangeError("fetch");
    if (u.pathname === "/slow") {
      await sleep(50);
      slept++;
      this.n++;
    }
    return new Response(String(this.n));
  }
  abort() {
    this.ctx.abort("stopped");
  }
  stuck() {
    return this.ctx.blockConcurrencyWhile(() => new Promise(() => {}));
  }
  big(n) {
    return new Uint8Array(n);
  }
  size(b) {
    return b.byteLength;
  }
}
export class Once extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    log.push("constructed");
    if (log.length === 1) throw Object.assign(new RangeError("first time"), { code: 4 });
  }
  n() {
    return 1;
  }
  fetch() {
    return new Response("up");
  }
}
const log = [];
let slept = 0; // the object may be evicted meanwhile
const all = (e) =>
  e.name +
  ": " +
  e.message +
  " [" +
  ["remote", "retryable", "overloaded", "durableObjectReset"].filter((f) => e[f] === true).join() +
  "]";
const fails = async (p) => {
  try {
    return "fine " + (await p);
  } catch (e) {
    return all(e);
  }
};
const a = (env, name) => env.A.getByName(name);
