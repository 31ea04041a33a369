import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
import { functions, roots, run } from "./walk.js";
import { snippets } from "./snippets.js";
import { acts } from "./acts.js";

const kept = {};

// walk lists the functions of a root, or runs one. Roots of a place are given; the others are for all to reach.
async function walk(url, kept, given) {
	const root = url.searchParams.get("root");
	if (!root) return Response.json(given ? Object.keys(given) : roots());
	const list = (kept[root] ??= functions(root, given?.[root]));
	if (url.pathname.endsWith("/list")) return Response.json(list.map(([path]) => path));
	const number = (name) => Number(url.searchParams.get(name));
	return new Response(await run(list, number("n"), number("from"), number("to"), number("seed")));
}

// mend takes back what snippets do to built-ins: their own finally does not run when a limit ends them.
const iterator = Array.prototype[Symbol.iterator], toString = Object.prototype.toString;
function mend() {
	Array.prototype[Symbol.iterator] = iterator;
	Object.prototype.toString = toString;
	delete Object.prototype.toJSON;
	delete BigInt.prototype.toJSON;
	delete Error.prepareStackTrace;
	Error.stackTraceLimit = 10;
	Object.defineProperty(Promise.prototype, "constructor", { configurable: true, writable: true, value: Promise });
}

export default {
	async fetch(request, env, ctx) {
		mend();
		const url = new URL(request.url);
		const [, kind, ...rest] = decodeURIComponent(url.pathname).split("/");
		const name = rest.join("/");
		switch (kind) {
			case "probe": return new Response("alive");
			case "walk": return walk(url, kept);
			case "env": return walk(url, kept, { env, ctx, request });
			case "object": return env.WALKED.getByName("one").fetch(request);
			case "names": return Response.json({ snippets: Object.keys(snippets), acts: Object.keys(acts), places: Object.keys(places) });
			case "snippet": {
				const v = await snippets[name](env, ctx, request);
				return v instanceof Response ? v : new Response(typeof v);
			}
			case "act": return new Response(String(await places[url.searchParams.get("place")](env, ctx, name)));
		}
	},
	async queue(batch) { for (const m of batch.messages) await acts[m.body](); },
	async scheduled(event) { await acts[event.cron](); },
};

export class Walked extends DurableObject {
	kept = {};
	fetch(request) {
		const { ctx, env } = this;
		return walk(new URL(request.url), this.kept, { ctx, storage: ctx.storage, sql: ctx.storage.sql, cursor: ctx.storage.sql.exec("SELECT 1"), stub: env.PLACE.getByName("x") });
	}
}

export class Named extends WorkerEntrypoint {
	act(name) { return acts[name](); }
	get value() { return acts[this.chosen](); }
}

export const Trap = new Proxy(class {}, { get(t, k) { return k === "prototype" ? new Proxy({}, { get() { for (;;); } }) : t[k]; } });

// Place does its act where its name says.
export class Place extends DurableObject {
	constructor(ctx, env) {
		super(ctx, env);
		const [place, act] = (ctx.id.name ?? "").split(":");
		if (place === "constructor") acts[act]();
		if (place === "block") ctx.blockConcurrencyWhile(async () => acts[act]());
	}
	hello() { return "hello"; }
	act(name) { return acts[name](); }
	transaction(name) { return this.ctx.storage.transactionSync(() => acts[name]()); }
	asyncTransaction(name) { return this.ctx.storage.transaction(() => acts[name]()); }
	async arm(name) {
		this.ctx.storage.kv.put("act", name);
		await this.ctx.storage.setAlarm(Date.now());
	}
	fired() { return this.ctx.storage.kv.get("fired") ?? false; }
	async alarm(info) {
		this.ctx.storage.kv.put("fired", true);
		await this.ctx.storage.sync();
		if (!info.isRetry) await acts[this.ctx.storage.kv.get("act")]();
	}
	async fetch(request) {
		const [client, server] = Object.values(new WebSocketPair());
		this.ctx.acceptWebSocket(server);
		return new Response(null, { status: 101, webSocket: client });
	}
	webSocketMessage(ws, name) {
		ws.send("got it");
		return acts[name]();
	}
	webSocketClose(ws, code) { ws.close(code); }
}

let fresh = 0;

// places are where an act can happen. Each waits until it has.
const places = {
	fetch: (env, ctx, act) => acts[act](),
	async waitUntil(env, ctx, act) { ctx.waitUntil(scheduler.wait(1).then(() => acts[act]())); return "later"; },
	timer: (env, ctx, act) => new Promise((resolve, reject) => setTimeout(() => { resolve(); acts[act](); })),
	microtask: (env, ctx, act) => Promise.resolve().then(() => acts[act]()),
	listener(env, ctx, act) {
		const target = new EventTarget();
		target.addEventListener("x", () => acts[act]());
		return target.dispatchEvent(new Event("x"));
	},
	getter: (env, ctx, act) => JSON.stringify({ get x() { return acts[act](); } }),
	stream: (env, ctx, act) => new Response(new ReadableStream({ pull: () => acts[act]() })).text(),
	transform: (env, ctx, act) => new Response(new Blob(["x"]).stream().pipeThrough(new TransformStream({ transform: () => acts[act]() }))).text(),
	rewriter: (env, ctx, act) => new HTMLRewriter().on("a", { element: () => acts[act]() }).transform(new Response("<a>")).text(),
	service: (env, ctx, act) => env.SELF.fetch("http://x/act/" + act + "?place=fetch").then((r) => r.text()),
	rpc: (env, ctx, act) => env.NAMED.act(act),
	proxyExport: (env, ctx, act) => env.PROXY[act](),
	async queue(env, ctx, act) { await env.Q.send(act); await scheduler.wait(1); return "sent"; },
	objectRPC: (env, ctx, act) => env.PLACE.getByName("rpc").act(act),
	constructor: (env, ctx, act) => env.PLACE.getByName("constructor:" + act + ":" + fresh++).hello(),
	block: (env, ctx, act) => env.PLACE.getByName("block:" + act + ":" + fresh++).hello(),
	transactionSync: (env, ctx, act) => env.PLACE.getByName("sync").transaction(act),
	transaction: (env, ctx, act) => env.PLACE.getByName("async").asyncTransaction(act),
	async alarm(env, ctx, act) {
		const o = env.PLACE.getByName("alarm:" + act + ":" + fresh++);
		await o.arm(act);
		while (!(await o.fired())) await scheduler.wait(1);
		return "fired";
	},
	async socket(env, ctx, act) {
		const ws = (await env.PLACE.getByName("socket").fetch("http://x/", { headers: { Upgrade: "websocket" } })).webSocket;
		ws.accept();
		const answer = new Promise((resolve) => ws.addEventListener("message", resolve));
		ws.send(act);
		await answer;
		ws.close(1000); // while it is open it might settle what other events wait for
		return "got";
	},
	async pair(env, ctx, act) {
		const [a, b] = Object.values(new WebSocketPair());
		a.accept();
		b.accept();
		const heard = new Promise((resolve) => b.addEventListener("message", () => { resolve(); return acts[act](); }));
		a.send("x");
		await heard;
		a.close(1000);
		return "heard";
	},
};
