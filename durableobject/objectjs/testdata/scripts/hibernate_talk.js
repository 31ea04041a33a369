let born = 0;
globalThis.seen = [];
export class H extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    this.n = ++born;
  }
  async fetch(request) {
    const [client, server] = Object.values(new WebSocketPair());
    const tag = new URL(request.url).pathname.slice(1);
    this.ctx.acceptWebSocket(server, [tag, tag, "all"]);
    server.serializeAttachment({ tag, at: 1 });
    return new Response(null, { status: 101, webSocket: client });
  }
  webSocketMessage(ws, m) {
    if (m instanceof ArrayBuffer) return ws.send(m);
    if (m === "who")
      return ws.send(
        [
          ...(this.n > 100 ? [this.n] : []),
          this.ctx.getTags(ws),
          JSON.stringify(ws.deserializeAttachment()),
          this.ctx.getWebSockets().length,
          this.ctx.getWebSockets("all").length,
          this.ctx.getWebSockets("nope").length,
          ws === this.ctx.getWebSockets(this.ctx.getTags(ws)[0])[0],
        ].join(" "),
      );
    if (m === "all") for (const s of this.ctx.getWebSockets()) s.send("to all");
    if (m === "auto") {
      this.ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
      ws.send("set");
    }
    if (m === "when") ws.send(String(this.ctx.getWebSocketAutoResponseTimestamp(ws) instanceof Date));
    if (m === "throw") throw new Error("in handler");
    if (m === "bye") ws.close(4001, "done");
    if (m === "abort") this.ctx.abort("reset");
  }
  webSocketClose(ws, code, reason, clean) {
    seen.push([code, reason, clean, ws.readyState, this.ctx.getWebSockets().includes(ws)].join(" "));
    try {
      ws.close(code, "echo " + reason);
    } catch (e) {
      seen.push(e.message);
    }
  }
  left() {
    return this.ctx.getWebSockets().length;
  }
  async refusals() {
    const pair = () => Object.values(new WebSocketPair());
    const out = [];
    let [a, b] = pair();
    b.accept();
    out.push(await caught(() => this.ctx.acceptWebSocket(b)));
    [a, b] = pair();
    out.push(
      await caught(() => this.ctx.acceptWebSocket(b, "tag")),
      await caught(() => this.ctx.acceptWebSocket(b, ["x".repeat(257)])).then((s) => s.slice(-60)),
      await caught(() => this.ctx.acceptWebSocket(b, Array.from("abcdefghijk"))),
      await caught(() => this.ctx.getTags(b)),
    );
    out.push(
      await caught(() => this.ctx.setHibernatableWebSocketEventTimeout(604800001)),
      this.ctx.getHibernatableWebSocketEventTimeout(),
    );
    this.ctx.setHibernatableWebSocketEventTimeout(5);
    out.push(
      this.ctx.getHibernatableWebSocketEventTimeout(),
      this.ctx.getWebSocketAutoResponse(),
      await caught(() => this.ctx.setWebSocketAutoResponse({})),
    );
    return out.join("\n");
  }
}
const h = (env) => env.H.getByName("h");
const tests = new Proxy(
  {
    seen: () => {
      const s = seen.join("|");
      seen = [];
      return s;
    },
    left: (env) => h(env).left(),
    refusals: (env) => env.H.getByName("r").refusals(),
  },
  { get: (t, n) => t[n] ?? ((env, ctx, request) => h(env).fetch("http://x/" + n, request)) },
);
