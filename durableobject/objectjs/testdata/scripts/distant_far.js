import { DurableObject } from "cloudflare:workers";
export class Room extends DurableObject {
  async fetch(req) {
    const { pathname } = new URL(req.url);
    if (pathname === "/throw") throw new RangeError("too far");
    if (pathname === "/socket") {
      const [client, server] = Object.values(new WebSocketPair());
      server.accept();
      server.addEventListener("message", (e) => server.send("echo " + e.data));
      return new Response(null, { status: 101, webSocket: client });
    }
    if (pathname === "/null") return new Response(null, { status: 204 });
    const n = ((await this.ctx.storage.get("n")) ?? 0) + 1;
    await this.ctx.storage.put("n", n);
    return new Response(
      [
        req.method,
        req.url,
        req.headers.get("x-a"),
        await req.text(),
        req.cf?.k,
        this.ctx.id.name,
        this.ctx.id,
        n,
      ].join(" "),
      { status: 201 },
    );
  }
}
export class Renamed extends Room {}
export default {};
