let born = 0;
globalThis.seen = [];
const took = () => seen.splice(0).join("|");
export class S extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    this.n = ++born;
  }
  fetch(request) {
    const [client, server] = Object.values(new WebSocketPair());
    this.ctx.acceptWebSocket(server, ["t"]);
    server.binaryType = "blob";
    for (const type of ["message", "close", "error"])
      server.addEventListener(type, () => seen.push("listener " + type));
    server.onmessage = () => seen.push("onmessage");
    return new Response(null, { status: 101, webSocket: client });
  }
  async webSocketMessage(ws, m) {
    if (m instanceof ArrayBuffer) return ws.send("ArrayBuffer " + m.byteLength);
    const [what, n] = m.split(" ");
    if (what === "slow") {
      seen.push("start" + n);
      await sleep(5);
      seen.push("end" + n);
      if (n === "2") ws.send("done");
    }
    if (what === "throw") throw new Error("from a handler");
    if (what === "reject") {
      await sleep(1);
      throw new Error("from a promise");
    }
    if (what === "limit") {
      try {
        this.ctx.setHibernatableWebSocketEventTimeout(n === "none" ? undefined : Number(n));
      } catch (e) {
        return ws.send(show(e));
      }
      ws.send(String(this.ctx.getHibernatableWebSocketEventTimeout()));
    }
    if (what === "hang") {
      await this.ctx.storage.put("kept", 1);
      await sleep(Number(n));
      ws.send("after " + n);
    }
    if (what === "others") ws.send(this.others ?? "none");
    if (what === "who") ws.send("instance " + this.n);
    if (what === "write") {
      this.ctx.storage.put("w", n);
      ws.send("written " + n);
    }
    if (what === "lost") {
      this.ctx.storage.put("w", n);
      ws.send("never said");
      this.ctx.abort("lost");
    }
  }
  webSocketError(ws, e) {
    seen.push("error " + e.message + " " + ws.readyState);
  }
  webSocketClose(ws, ...args) {
    seen.push("close " + args.join() + " " + ws.readyState);
    if (args[0] === 4200) ws.close(4201, "bye");
  }
  stuck() {
    this.others = "stuck";
    return sleep(3600000);
  }
  async stored() {
    return [await this.ctx.storage.get("kept"), await this.ctx.storage.get("w")].join();
  }
}
export class Bare extends DurableObject {
  // no handlers
  fetch() {
    const [client, server] = Object.values(new WebSocketPair());
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }
  count() {
    return this.ctx.getWebSockets().length;
  }
}
export class Shape extends DurableObject {
  shape() {
    const c = this.ctx;
    const p = Object.getPrototypeOf(c);
    return [
      Object.keys(c).join(),
      Object.getOwnPropertyNames(p)
        .filter((n) => n !== "constructor" && typeof c[n] === "function")
        .sort()
        .join(),
      JSON.stringify(c.props),
      c.container === undefined,
      Object.prototype.toString.call(c),
    ].join("\n");
  }
}
const s = (env) => env.S.getByName("s");
const tests = new Proxy(
  {
    seen: took,
    stored: (env) => s(env).stored(),
    stuck: (env) => caught(() => s(env).stuck()),
    count: (env) => env.Bare.getByName("b").count(),
    shape: (env) => env.Shape.getByName("x").shape(),
    bare: (env, ctx, request) => env.Bare.getByName("b").fetch(request),
  },
  { get: (t, n) => t[n] ?? ((env, ctx, request) => s(env).fetch(request)) },
);
