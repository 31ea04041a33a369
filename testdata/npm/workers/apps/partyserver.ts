import { Server, routePartykitRequest, getServerByName } from "partyserver";
import { answer, until } from "./answer.js";
export class Room extends Server<any> {
  static options = { hibernate: true };
  n = 0;
  onConnect(c, ctx) {
    c.send("hello " + new URL(ctx.request.url).pathname);
    this.broadcast("joined", [c.id]);
  }
  onMessage(c, m) {
    this.n++;
    this.broadcast(`${this.n}:${typeof m === "string" ? m : "bin" + m.byteLength}`);
    if (m === "tags") c.send(JSON.stringify([c.tags.slice(1), [...this.getConnections("t")].length]));
  }
  getConnectionTags() {
    return ["t", "u"];
  }
  onClose(c, code, reason) {
    this.broadcast("left " + code + reason);
  }
  onRequest(r) {
    return new Response(this.name + " " + this.n + " " + r.method);
  }
  hello(x) {
    return "hello " + x + " " + this.name;
  }
  async onAlarm() {
    await this.ctx.storage.put("alarm", 1);
  }
  async rung() {
    await this.ctx.storage.setAlarm(Date.now() + 10);
    return until(() => this.ctx.storage.get("alarm"));
  }
}
export default {
  async fetch(req, env) {
    const p = new URL(req.url).pathname;
    if (p === "/")
      return answer({
        rpc: async () => (await getServerByName(env.Room, "z")).hello("w"),
        alarm: async () => (await getServerByName(env.Room, "z")).rung(),
      });
    return (await routePartykitRequest(req, env, { onBeforeRequest: () => {} })) ?? new Response("nope", { status: 404 });
  },
};
