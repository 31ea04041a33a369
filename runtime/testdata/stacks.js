
import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
export class Room extends DurableObject {
  boom() { throw new Error("in the object"); }
  sql() { this.ctx.storage.sql.exec("select * from nope"); }
}
export class Api extends WorkerEntrypoint {
  get late() { return Promise.reject(new TypeError("a property")); }
}
const calls = {
  object: async (env) => await env.ROOM.getByName("a").boom(),
  sql: async (env) => { await env.ROOM.getByName("a").sql(); },
  none: async (env) => { await env.ROOM.getByName("a").nothing(); },
  property: async (env) => { await env.SELF.late; },
  queue: async (env) => { await env.Q.send("x", { delaySeconds: 1e6 }); },
  all: async (env) => { await Promise.all([env.ROOM.getByName("a").boom()]); },
  caught: async (env) => env.ROOM.getByName("a").boom().catch((e) => { throw e; }),
};
async function helper(name, env) {
  return await calls[name](env);
}
export default { async fetch(request, env) {
  const name = new URL(request.url).pathname.slice(1);
  const e = await helper(name, env).catch((e) => e);
  return new Response(e.stack.replaceAll(/\(.*\//g, "("));
} };
