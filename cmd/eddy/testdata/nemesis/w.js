import { DurableObject } from "cloudflare:workers";
import { createDOQueue, DOQueueProducer } from "@cloudflare-boilerplate/do-queue";

// What a register says comes with the instance that says it: two that live at the same time betray themselves.
export class Register extends DurableObject {
	constructor(ctx, env) {
		super(ctx, env);
		this.instance = crypto.randomUUID().slice(0, 8);
	}

	async change(f) {
		const n = f((await this.ctx.storage.get("n")) ?? 0);
		if (n !== undefined) await this.ctx.storage.put("n", n);
		return n;
	}

	async add() {
		return [await this.change((n) => n + 1), this.instance];
	}

	async put(value) {
		return [await this.change(() => value), this.instance];
	}

	async cas(from, to) {
		return [(await this.change((n) => (n === from ? to : undefined))) === undefined ? 0 : 1, this.instance];
	}

	async get() {
		return [(await this.ctx.storage.get("n")) ?? 0, this.instance];
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

const noted = (env, n) => fetch(env.LEDGER + "?n=" + n, { method: "POST" });

export const Lanes = createDOQueue({
	async queue(batch, env) {
		for (const m of batch.messages) if (!(await noted(env, m.body.n)).ok) m.retry();
	},
});

export default {
	async fetch(request, env) {
		const url = new URL(request.url), n = url.searchParams.get("n");
		const value = Number(url.searchParams.get("v")), from = Number(url.searchParams.get("from"));
		const told = async (answer) => new Response((await answer).join(" "));
		switch (url.pathname) {
			case "/send":
				await env.JOBS.send(n);
				return new Response("sent");
			case "/lane":
				await new DOQueueProducer(env.LANES, "lanes").send({ n }, { key: n.slice(0, n.lastIndexOf(".")) });
				return new Response("sent");
			case "/ring":
				await env.BELL.getByName(n).ring(n);
				return new Response("set");
			case "/add":
				return told(env.REGISTER.getByName(n).add());
			case "/put":
				return told(env.REGISTER.getByName(n).put(value));
			case "/cas":
				return told(env.REGISTER.getByName(n).cas(from, value));
			case "/get":
				return told(env.REGISTER.getByName(n).get());
		}
		return new Response("what?", { status: 404 });
	},

	async queue(batch, env) {
		for (const m of batch.messages) {
			if ((await noted(env, m.body)).ok) m.ack(); else m.retry();
		}
	},
};
