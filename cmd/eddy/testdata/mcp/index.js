import { DurableObject } from "cloudflare:workers";
export class Desk extends DurableObject { note(x) { this.ctx.storage.kv.put("note", x); } }
export default { async queue(batch, env) {
	await env.DESK.getByName("front").note("seen");
	throw new Error("no such city");
}, async scheduled(event, env) { await env.DESK.getByName("front").note("night"); } };
