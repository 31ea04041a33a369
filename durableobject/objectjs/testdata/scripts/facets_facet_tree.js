const deeper = {
  down(path) {
    if (path.length === 0) return this.ctx.storage.put("k", 1).then(() => "bottom");
    return this.ctx.facets.get(path[0], () => ({ class: this.ctx.exports.Child })).down(path.slice(1));
  },
  async read() {
    return [await this.ctx.storage.get("k"), String(this.ctx.id), this.ctx.id.name, typeof this.ctx.id].join();
  },
};
const births = {};
const birth = (name) => (births[name] = (births[name] ?? 0) + 1);
export class Parent extends DurableObject {
  n = birth(this.ctx.id.name);
  dropSocket() {
    this.ctx.facets.abort("socket", "dropped");
    return "dropped";
  }
  tree() {
    const go = (...path) => deeper.down.call(this, path);
    return [go("a"), go("b"), go("a", "b"), go("a", "b", "c")].reduce((p, f) => p.then(() => f));
  }
  tooDeep() {
    return deeper.down.call(this, ["a", "b", "c", "d"]);
  }
  async ids() {
    const get = (name, id) => this.ctx.facets.get(name, () => ({ class: this.ctx.exports.Child, id })).read();
    const own = String(this.ctx.id);
    return [await get("plain"), await get("string", "abc"), await get("object", this.env.Other.idFromName("o"))]
      .join("|")
      .replaceAll(own, "own")
      .replaceAll(String(this.env.Other.idFromName("o")), "other");
  }
  async namespaced() {
    return this.ctx.facets.get("n", () => ({ class: this.ctx.exports.Other })).hi();
  }
  async deleted() {
    const a = this.ctx.facets.get("a", () => ({ class: this.ctx.exports.Child }));
    await a.down(["b"]);
    const waiting = caught(a.hang());
    await sleep(1);
    this.ctx.facets.delete("a");
    this.ctx.facets.delete("never was");
    const again = this.ctx.facets.get("a", () => ({ class: this.ctx.exports.Child }));
    return [await waiting, await again.read(), await again.facet("b")].join("|");
  }
  async wiped() {
    await deeper.down.call(this, ["x"]);
    await this.ctx.storage.deleteAll();
    return this.ctx.facets.get("x", () => ({ class: this.ctx.exports.Child })).read();
  }
  async refuse() {
    const f = this.ctx.facets;
    const long = "n".repeat(257);
    return [
      await caught(() => f.get("", () => {})),
      await caught(() => f.abort(long)),
      await caught(() => f.delete(long)),
    ].join("|");
  }
  fetch(request) {
    return this.ctx.facets.get("socket", () => ({ class: this.ctx.exports.Sock })).fetch(request);
  }
}
export class Child extends DurableObject {
  down(path) {
    return deeper.down.call(this, path);
  }
  read() {
    return deeper.read.call(this);
  }
  facet(name) {
    return this.ctx.facets.get(name, () => ({ class: this.ctx.exports.Child })).read();
  }
  hang() {
    return new Promise(() => {});
  }
}
export class Sock extends DurableObject {
  n = birth("facet");
  fetch() {
    const [client, server] = Object.values(new WebSocketPair());
    this.ctx.acceptWebSocket(server, ["tag"]);
    server.serializeAttachment(this.n);
    return new Response(null, { status: 101, webSocket: client });
  }
  webSocketMessage(ws, m) {
    ws.send(
      ["facet", m, this.n, "of", ws.deserializeAttachment(), this.ctx.getTags(ws), "parent", births.socket].join(
        " ",
      ),
    );
  }
}
export class Other extends DurableObject {
  hi() {
    return "a class with a namespace";
  }
}
const tests = new Proxy(
  {
    socket: (env, ctx, request) => env.Parent.getByName("socket").fetch(request),
    dropSocket: (env) => env.Parent.getByName("socket").dropSocket(),
  },
  { get: (t, n) => t[n] ?? ((env) => env.Parent.getByName(n)[n]()) },
);
