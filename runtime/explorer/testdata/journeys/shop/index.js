import { DurableObject } from "cloudflare:workers";

export class Cart extends DurableObject {
	async add(item) {
		this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS items(name TEXT)");
		this.ctx.storage.sql.exec("INSERT INTO items VALUES (?)", item);
		await this.ctx.storage.put("last", item);
	}
}

export default {
	async fetch(request, env) {
		await env.JOBS.send(await request.json());
		return new Response("sent");
	},
	async queue(batch, env) {
		for (const { body } of batch.messages) {
			console.log("packs", body.item);
			if (body.item === "fog") throw new TypeError("fog cannot be packed");
			await env.CART.getByName(body.who).add(body.item);
		}
	},
	scheduled() {},
};
