import { DurableObject } from "cloudflare:workers";
export class L extends DurableObject {
  begun = new Promise((r) => { this.begin = r; });
  async wait() { this.begin(); await new Promise((r) => { this.end = r; }); return "ended"; }
  async waits() { await this.begun; return "waits"; }
  async go() { this.end(); return "goes on"; }
  fetch() {
    const [theirs, ours] = Object.values(new WebSocketPair());
    ours.accept();
    return new Response(null, { status: 101, webSocket: theirs });
  }
}
export default {
  async fetch(request, env) {
    const object = env.L.getByName("a"), path = new URL(request.url).pathname.slice(1);
    return path === "socket" ? object.fetch(request) : new Response(await object[path]());
  },
};
