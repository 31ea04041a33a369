import { DurableObject } from "cloudflare:workers";

interface Env {
  ROOM: DurableObjectNamespace<Room>;
}

/** A chat room. Sockets hibernate: an idle room costs no memory, its members stay connected. */
export class Room extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS lines (name TEXT, text TEXT)");
  }

  async fetch(request: Request): Promise<Response> {
    if (request.headers.get("Upgrade") !== "websocket") {
      return Response.json(this.ctx.storage.sql.exec("SELECT name, text FROM lines ORDER BY rowid DESC LIMIT 50").toArray().reverse());
    }
    const name = new URL(request.url).searchParams.get("name") ?? "somebody";
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server, [name]);
    server.serializeAttachment({ name });
    this.broadcast(`${name} joined`);
    return new Response(null, { status: 101, webSocket: client });
  }

  webSocketMessage(ws: WebSocket, message: string | ArrayBuffer) {
    const { name } = ws.deserializeAttachment() as { name: string };
    const text = typeof message === "string" ? message : `${message.byteLength} bytes`;
    this.ctx.storage.sql.exec("INSERT INTO lines VALUES (?, ?)", name, text);
    this.broadcast(`${name}: ${text}`);
  }

  webSocketClose(ws: WebSocket, code: number) {
    const { name } = ws.deserializeAttachment() as { name: string };
    ws.close(code === 1005 || code === 1006 ? 1000 : code, "bye");
    this.broadcast(`${name} left`, ws);
  }

  broadcast(text: string, except?: WebSocket) {
    for (const ws of this.ctx.getWebSockets()) if (ws !== except) ws.send(text);
  }
}

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    const room = new URL(request.url).pathname.slice(1) || "lobby";
    return env.ROOM.getByName(room).fetch(request);
  },
};
