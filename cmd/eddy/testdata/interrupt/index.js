// Code that loops for ever, in the place that a request or the variable WHERE names.
import { DurableObject, WorkerEntrypoint, env } from "cloudflare:workers";
import { generateKeyPairSync } from "node:crypto";

function loop() {
	console.log("it is busy");
	for (;;);
}

if (env.WHERE === "module") loop();

const endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT count(*) FROM c";

export class Named extends WorkerEntrypoint {
	method() { loop(); }
	get property() { loop(); }
}

export class Place extends DurableObject {
	constructor(ctx, env) {
		super(ctx, env);
		if (ctx.id.name === "constructor") loop();
		if (ctx.id.name === "block") ctx.blockConcurrencyWhile(async () => loop());
	}
	method() { loop(); }
	sql() { console.log("it is busy"); this.ctx.storage.sql.exec(endless).toArray(); }
	transactionSync() { this.ctx.storage.transactionSync(loop); }
	transaction() { return this.ctx.storage.transaction(async () => loop()); }
	arm() { return this.ctx.storage.setAlarm(Date.now()); }
	alarm() { loop(); }
	fetch() {
		const [client, server] = Object.values(new WebSocketPair());
		this.ctx.acceptWebSocket(server);
		return new Response(null, { status: 101, webSocket: client });
	}
	webSocketMessage() { loop(); }
}

const places = {
	fetch: loop,
	async jobs() { console.log("it is busy"); for (;;) await null; },
	native() { console.log("it is busy"); Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1); },
	regexp() { console.log("it is busy"); /^(a|a)*$/.test("a".repeat(100) + "b"); },
	key() { console.log("it is busy"); generateKeyPairSync("rsa", { modulusLength: 16384 }); },
	d1() { console.log("it is busy"); return env.D1.prepare(endless).all(); },
	waitUntil(ctx) { ctx.waitUntil(scheduler.wait(1).then(loop)); },
	timer: () => new Promise(() => setTimeout(loop)),
	listener() { const t = new EventTarget(); t.addEventListener("x", loop); t.dispatchEvent(new Event("x")); },
	stream: () => new Response(new ReadableStream({ pull: loop })).text(),
	body: () => new Response(new ReadableStream({ pull: loop })),
	rewriter: () => new HTMLRewriter().on("a", { element: loop }).transform(new Response("<a>")).text(),
	rpc: () => env.NAMED.method(),
	getter: () => env.NAMED.property,
	queue: () => env.Q.send("x"),
	object: () => env.PLACE.getByName("x").method(),
	sql: () => env.PLACE.getByName("x").sql(),
	transactionSync: () => env.PLACE.getByName("x").transactionSync(),
	transaction: () => env.PLACE.getByName("x").transaction(),
	constructor: () => env.PLACE.getByName("constructor").method(),
	block: () => env.PLACE.getByName("block").method(),
	alarm: () => env.PLACE.getByName("x").arm(),
	async socket() {
		const upgrade = { headers: { Upgrade: "websocket" } };
		const ws = (await env.PLACE.getByName("x").fetch("http://x/", upgrade)).webSocket;
		ws.accept();
		ws.send("x");
	},
};

export default {
	async fetch(request, env, ctx) {
		const url = new URL(request.url);
		if (url.pathname === "/places") return Response.json(Object.keys(places));
		const v = await places[url.pathname.slice(1)](ctx);
		return v instanceof Response ? v : new Response("done");
	},
	scheduled: loop,
	queue: loop,
};
