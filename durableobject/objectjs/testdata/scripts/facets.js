export class Parent extends DurableObject {
  child(props) {
    return this.ctx.facets.get("c", async () => ({
      class: props ? this.ctx.exports.Child({ props }) : this.ctx.exports.Child,
    }));
  }
  async both() {
    await this.ctx.storage.put("k", "parent");
    const c = this.child({ p: 1 });
    await c.set("child");
    return [
      await this.ctx.storage.get("k"),
      await c.get(),
      await c.props(),
      await (await c.fetch("http://x/")).text(),
      Object.keys(c).join(),
    ].join();
  }
  async abort() {
    const c = this.child();
    await c.set("kept");
    this.ctx.facets.abort("c", "why");
    return [await caught(() => c.get()), await this.child().get(), await this.child().mem()].join("|");
  }
  async delete() {
    const c = this.child();
    await c.set("x");
    this.ctx.facets.delete("c");
    return String(await this.child().get());
  }
  async refuse() {
    return [
      await caught(() => this.ctx.facets.get("n".repeat(257), () => {})),
      await caught(() => this.ctx.facets.get("q", () => ({})).get()),
      await caught(() => this.child().alarmed()),
    ].join("|");
  }
}
export class Child extends DurableObject {
  n = 0;
  async set(v) {
    this.n++;
    await this.ctx.storage.put("k", v);
  }
  get() {
    return this.ctx.storage.get("k");
  }
  mem() {
    return this.n;
  }
  props() {
    return JSON.stringify(this.ctx.props);
  }
  fetch() {
    return new Response("facet");
  }
  async alarmed() {
    await this.ctx.storage.setAlarm(Date.now() + 5);
  }
  alarm() {}
}
const tests = new Proxy({}, { get: (_, n) => (env) => env.Parent.getByName(n)[n]() });
