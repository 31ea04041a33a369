import { DurableObject, WorkflowEntrypoint } from "cloudflare:workers";
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

// What an attempt of a step was given by the ledger, and what the script was told of it, is compared there.
export class Flow extends WorkflowEntrypoint {
	async run({ payload, instanceId }, step) {
		const ask = async (path, rest) => {
			const res = await fetch(`${this.env.LEDGER}${path}?i=${instanceId}&${rest}`, { method: "POST" });
			if (!res.ok) throw new Error("refused");
			return await res.text();
		};
		const told = async (name, value) => {
			await ask("/told", `s=${name}&v=${value}`);
			return value;
		};
		const retries = { limit: 100, delay: 20, backoff: "constant" };
		const effect = async (name) => told(name, await step.do(name, { retries }, () => ask("/step", "s=" + name)));
		const first = await effect("first");
		await step.sleep("nap", payload.nap);
		const second = await effect("second");
		const { payload: sent } = await step.waitForEvent("event", { type: "go", timeout: "1 day" });
		await told("event", sent);
		return [first, second, sent, await effect("third")].join();
	}
}

// What a workflow refuses is an answer, what is lost with a node is none.
const flow = async (flow, what, id, value) => {
	try {
		switch (what) {
			case "create":
				return (await flow.create({ id, params: { nap: value } })).id;
			case "send":
				await (await flow.get(id)).sendEvent({ type: "go", payload: value });
				return "sent";
			case "status": {
				const { status, output, error } = await (await flow.get(id)).status();
				return [status, output ?? error?.message ?? ""].join(" ");
			}
			default: // pause, resume, terminate
				await (await flow.get(id))[what]();
				return what;
		}
	} catch (e) {
		const refusal = /\((instance\.\w+)\)/.exec(e.message);
		if (refusal) return refusal[1];
		throw e;
	}
};

export default {
	async fetch(request, env) {
		const url = new URL(request.url), n = url.searchParams.get("n");
		const value = Number(url.searchParams.get("v")), from = Number(url.searchParams.get("from"));
		const told = async (answer) => new Response((await answer).join(" "));
		switch (url.pathname) {
			case "/flow":
				return new Response(await flow(env[url.searchParams.get("w")], url.searchParams.get("do"), n, value));
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
