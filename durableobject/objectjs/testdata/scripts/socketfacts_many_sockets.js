export class M extends DurableObject {
  fetch(request) {
    const [client, server] = Object.values(new WebSocketPair());
    const i = new URL(request.url).pathname.slice(1);
    this.ctx.acceptWebSocket(server, [i]);
    server.serializeAttachment(Number(i));
    return new Response(null, { status: 101, webSocket: client });
  }
  webSocketMessage(ws, m) {
    ws.send([m, this.ctx.getTags(ws), ws.deserializeAttachment(), this.ctx.getWebSockets().length].join());
  }
}
const tests = new Proxy(
  {},
  { get: (_, i) => (env, ctx, request) => env.M.getByName("m" + (i % 100)).fetch(request) },
);
