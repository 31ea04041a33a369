export class H extends DurableObject {
  fetch() {
    const [client, server] = Object.values(new WebSocketPair());
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }
  webSocketMessage(ws) {
    ws.send("one " + this.ctx.id.name);
  }
}
const tests = { "": (env, ctx, request) => env.H.get(env.H.idFromName("called so")).fetch(request) };
