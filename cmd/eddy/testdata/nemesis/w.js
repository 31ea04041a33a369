import { DurableObject } from "cloudflare:workers";

export class Counter extends DurableObject {
	async add() {
		const n = ((await this.ctx.storage.get("n")) ?? 0) + 1;
		await this.ctx.storage.put("n", n);
		return n;
	}

	async get() {
		return (await this.ctx.storage.get("n")) ?? 0;
	}
}

export class Bell extends DurableObject {
	async ring(name) {
		await this.ctx.storage.put("name", name);
		await this.ctx.storage.setAlarm(Date.now() + 500);
	}

	async alarm() {
		const res = await fetch(this.env.LEDGER + "?n=" + (await this.ctx.storage.get("name")), { method: "POST" });
		if (!res.ok) throw new Error("not noted");
	}
}

export default {
	async fetch(request, env) {
		const url = new URL(request.url), n = url.searchParams.get("n");
		switch (url.pathname) {
			case "/send":
				await env.JOBS.send(n);
				return new Response("sent");
			case "/ring":
				await env.BELL.getByName(n).ring(n);
				return new Response("set");
			case "/add":
				return new Response(await env.COUNTER.getByName(n).add());
			case "/get":
				return new Response(await env.COUNTER.getByName(n).get());
		}
		return new Response("what?", { status: 404 });
	},

	async queue(batch, env) {
		for (const m of batch.messages) {
			const res = await fetch(env.LEDGER + "?n=" + m.body, { method: "POST" });
			if (res.ok) m.ack(); else m.retry();
		}
	},
};
