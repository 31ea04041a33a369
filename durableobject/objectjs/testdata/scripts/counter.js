export class Counter extends DurableObject {
  async increment(n = 1) {
    const v = ((await this.ctx.storage.get("n")) ?? 0) + n;
    await this.ctx.storage.put("n", v);
    return v;
  }
  async fetch(request) {
    return new Response("fetched " + new URL(request.url).pathname + " " + (await this.increment()));
  }
}
const tests = {
  async count(env) {
    const stub = env.Counter.getByName("a");
    const list = await Promise.all([1, 2, 3, 4, 5].map(() => stub.increment()));
    return list.join();
  },
  async other(env) {
    return await env.Counter.get(env.Counter.idFromName("b")).increment(10);
  },
  async fetch(env) {
    return (await env.Counter.getByName("a").fetch("http://x/p")).text();
  },
};
