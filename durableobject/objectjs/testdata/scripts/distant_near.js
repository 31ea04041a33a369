const show = (e) => e.name + ": " + e.message + (e.retryable ? " (retryable)" : "");
const ask = async (stub, init) => {
  const r = await stub.fetch("http://far/x", init);
  return (r.status + " " + (await r.text())).replaceAll(String(stub.id), "ID");
};
const tests = {
  named: (env) =>
    ask(env.ROOM.getByName("a"), { method: "PUT", body: "body", headers: { "x-a": "h" }, cf: { k: 7 } }),
  again: (env) => ask(env.ROOM.get(env.ROOM.idFromName("a"))),
  unique: (env) => ask(env.ROOM.get(env.ROOM.newUniqueId())),
  renamed: async (env) => (await ask(env.RENAMED.getByName("a"))).replace(/[0-9a-f]{64}/, "another id"),
  stranger: (env) => ask(env.RENAMED.get(env.RENAMED.newUniqueId())),
  null: async (env) => {
    const r = await env.ROOM.getByName("a").fetch("http://far/null");
    return r.status + " " + r.body;
  },
  throw: (env) => env.ROOM.getByName("a").fetch("http://far/throw"),
  ended: (env) => env.ENDED.getByName("a").fetch("http://far/"),
  nobody: (env) => ask(env.NOBODY.getByName("a")),
  rpc: (env) => env.ROOM.getByName("a").hello(),
  socket: async (env) => {
    const { webSocket } = await env.ROOM.getByName("a").fetch("http://far/socket", { headers: { upgrade: "websocket" } });
    const message = new Promise((done) => webSocket.addEventListener("message", (e) => done(e.data)));
    webSocket.accept();
    webSocket.send("hi");
    return message;
  },
};
export default {
  async fetch(req, env) {
    try {
      return new Response(await tests[new URL(req.url).pathname.slice(1)](env));
    } catch (e) {
      return new Response(show(e));
    }
  },
};
