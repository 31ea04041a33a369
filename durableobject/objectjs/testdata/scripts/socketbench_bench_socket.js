import { DurableObject } from "cloudflare:workers";
export class B extends DurableObject {
  fetch(request) {
    const [client, server] = Object.values(new WebSocketPair());
    if (request.url.includes("accept")) {
      server.accept();
      server.addEventListener("message", (e) => server.send(e.data));
    } else this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }
  webSocketMessage(ws, m) {
    ws.send(m);
  }
}
export default {
  fetch: (request, env) => env.B.getByName(new URL(request.url).searchParams.get("n")).fetch(request),
};
