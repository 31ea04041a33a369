// t(x) is x, and one of its calls ends the turn as the CPU limit does. Each part gives it to what calls back.
import { AsyncLocalStorage } from "node:async_hooks";
import assert from "node:assert";
import { EventEmitter, once } from "node:events";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { inspect, promisify, types } from "node:util";

const closing = () => ({ [Symbol.iterator]: () => ({
	next: () => t({ get value() { return t(1); }, get done() { return t(false); } }), return: () => t({}) }) });
const pairs = () => [1, 2].map((n) => ({ *[Symbol.iterator]() { yield t("a" + n); yield t("b"); } }));
const getter = () => ({
	get a() { return t(1); }, toString() { return t("s"); }, toJSON() { return t(2); }, valueOf() { return t(3); } });
const thenable = () => ({ get then() { t(0); return (f) => { t(1); f(t(4)); }; } });
const proxy = (o = {}) => new Proxy(o, {
	get: (o, k) => t(k === Symbol.toPrimitive || k === "then" ? undefined : Reflect.get(o, k)), has: () => t(true),
	ownKeys: (o) => t(Reflect.ownKeys(o)), getOwnPropertyDescriptor: (o, k) => t(Reflect.getOwnPropertyDescriptor(o, k)),
	getPrototypeOf: (o) => t(Reflect.getPrototypeOf(o)) });
const never = () => t(new Promise(() => {}));
const quiet = (f) => { try { return f(); } catch { return t(0); } };
const source = () => new ReadableStream({
	start() { return t(thenable()); },
	pull(c) { c.enqueue(t(new Uint8Array([1, 2]))); if (t(c.desiredSize) < 9) c.close(); },
	cancel() { t(1); } });
class A { x = t(1); constructor() { t(3); } #p = t(5); p() { return this.#p; } }
class B extends A { constructor() { t(0); super(t(1)); t(2); } }

const parts = {
	language() {
		const [a, b] = closing();
		for (const x of closing()) { if (t(x)) break; }
		[3, 1, 2].map((x) => [x].map((y) => t(y))).sort((x, y) => t(x - y));
		"abc".replace(/b/g, () => t("x"));
		JSON.stringify([getter(), [getter()]], (k, v) => t(v));
		JSON.parse("[1,[2]]", (k, v) => t(v));
		`${getter()} ${getter() + a + b}`;
		quiet(() => Object.entries(proxy({ a: 1 })));
		new B().p();
		Reflect.construct(B, [], A);
		Object.groupBy([1, 2], (x) => t(x));
		new Set([1]).union({ size: 1, has: () => t(true), keys: () => t([1][Symbol.iterator]()) });
		Array.from(closing()[Symbol.iterator] ? [1, 2] : [], (x) => t(x));
		(function deep(n) { return n ? [1].map(() => deep(n - 1)) : t(n); })(5);
	},
	async generators() {
		async function* later() { try { for (let i = 0; i < 3; i++) yield await t(i); } finally { await t(1); } }
		for await (const x of later()) { if (t(x) === 1) break; }
		for await (const x of [t(1), Promise.resolve(2)]) t(x);
		await Array.fromAsync(later(), (x) => t(x));
		const g = (function* () { try { yield* closing(); } finally { yield t(1); } })();
		g.next(); g.next(); quiet(() => g.throw(t(1))); g.return(1);
	},
	async promises() {
		try { await Promise.reject(t(1)); } catch { await t(2); } finally { await t(3); }
		await Promise.all([thenable(), (async () => { await null; t(1); })(),
			new Promise((f) => f(t(1))).then((x) => t(x))]);
		await Promise.any([Promise.reject(t(1)), t(2)]).finally(() => { t(1); });
		await Promise.allSettled(pairs().map(async (p) => { for (const x of p) await t(x); }));
		await Promise.try(() => t(1)).then(thenable);
		queueMicrotask(() => t(1));
		await new Promise((f) => setTimeout(() => { t(1); queueMicrotask(() => { t(2); f(); }); }));
		let n = 0;
		await new Promise((f) => { const i = setInterval(() => { if (t(++n) === 2) { clearInterval(i); f(); } }); });
	},
	async bodies() {
		await new Response(t("x")).text().then((x) => t(x));
		await new Response(source()).arrayBuffer().then((x) => t(x));
		new Headers(pairs()).forEach((v, k) => t(v));
		new URLSearchParams(pairs()).forEach((v, k) => t(v));
		quiet(() => new Headers(proxy({ a: "b" })));
		quiet(() => new Request("http://x/" + getter(), { method: getter(), headers: proxy({ a: "b" }) }));
		quiet(() => new Response("x", { get status() { return t(201); }, get headers() { return t({}); } }));
		quiet(() => Response.json(getter()));
		new FormData().forEach(() => t(1));
		const form = new FormData(); form.append("a", getter()); form.forEach((v) => t(v));
		await new Response(form).formData().then((x) => t(x));
	},
	async streams() {
		const [a, b] = source().tee();
		await Promise.all([new Response(a).text(), new Response(b).bytes()]).then((x) => t(x));
		const through = new TransformStream({ start: () => t(thenable()), transform(x, c) { c.enqueue(t(x)); },
			flush: () => t(thenable()) }, { highWaterMark: 1, size: () => t(1) });
		await source().pipeThrough(through).pipeTo(new WritableStream({ write: (x) => t(thenable()), close: () => t(1) }));
		for await (const x of source()) { t(x); break; }
		await ReadableStream.from(closing()).getReader().read().then((x) => t(x));
		await source().pipeTo(new WritableStream({ write() { throw t(1); }, abort: () => t(1) })).catch((x) => t(x));
		await new Response(source().pipeThrough(new CompressionStream("gzip"))).bytes().then((x) => t(x));
		await source().cancel(t(1)).then((x) => t(x));
	},
	async events() {
		const target = new EventTarget();
		target.addEventListener("x", { handleEvent() { t(1); } });
		target.addEventListener("x", (e) => { t(e); target.dispatchEvent(new Event("y")); });
		target.addEventListener("y", async () => { await t(1); t(2); });
		target.dispatchEvent(new Event("x"));
		const c = new AbortController();
		c.signal.onabort = () => t(1);
		AbortSignal.any([c.signal]).addEventListener("abort", () => t(2));
		c.abort(getter());
		const { port1, port2 } = new MessageChannel();
		const got = new Promise((f) => { port2.onmessage = (e) => { t(e.data); f(); }; });
		port1.postMessage(structuredClone(getterData()));
		await got;
		const e = new EventEmitter();
		e.on("x", (x) => { t(x); });
		const seen = once(e, "x");
		e.emit("x", 1);
		await seen.then((x) => t(x));
	},
	async node() {
		quiet(() => assert.deepStrictEqual({ get a() { return t(1); } }, { get a() { return t(1); } }));
		quiet(() => assert.throws(() => { throw t(1); }, (x) => t(true)));
		quiet(() => assert.strictEqual(getter(), t(1)));
		await assert.rejects(async () => { await t(1); throw new Error(t("x")); }, (x) => t(true));
		await assert.doesNotReject(t(/(?:)/g), 1e308);
		await assert.doesNotReject(async () => { await t(1); }, 1e308);
		inspect({ [inspect.custom]: (d, o, i) => t(i({ [inspect.custom]: () => t("x") })) }, { getters: true });
		inspect({ get a() { return t(1); } }, { getters: true });
		console.log(getter(), proxy({ a: 1 }), "%s", getter());
		await promisify((f) => { t(1); f(null, t(2)); })();
		new AsyncLocalStorage().run(t(1), () => t(2));
		types.isPromise(t(1));
	},
	async nodeStreams() {
		const read = Readable.from((function* () { yield t("a"); yield t("b"); })());
		const upper = new Transform({ transform(x, _, f) { t(1); f(null, t(String(x))); }, flush(f) { t(1); f(); } });
		await pipeline(read, upper, async function* (s) { for await (const x of s) yield t(x); }, async (s) => {
			for await (const x of s) t(x);
		});
		const one = new Readable({ read() { t(1); this.push(t("x")); this.push(null); } });
		one.on("data", (x) => { t(x); });
		await new Promise((f) => one.on("end", () => { t(1); f(); }));
	},
	async rewriter() {
		const r = new HTMLRewriter().on("*", { element(e) { t(e); e.onEndTag(() => { t(1); }); }, 
			async text(x) { await t(x); } }).onDocument({ end: async () => { await t(1); } });
		await r.transform(new Response("<a><b>x</b></a>")).text().then((x) => t(x));
	},
	async crypto() {
		const key = await crypto.subtle.generateKey(proxyOptions(), t(true), [t("sign"), "verify"]);
		await crypto.subtle.exportKey("jwk", key).then((x) => t(x));
		await crypto.subtle.digest({ get name() { return t("SHA-1"); } }, t(new Uint8Array(9))).then((x) => t(x));
		const d = new crypto.DigestStream("SHA-1");
		await source().pipeTo(d).then((x) => t(x));
		await d.digest.then((x) => t(x));
	},
};
const getterData = () => ({ get a() { return t([1, { get b() { return t(2); } }]); }, m: new Map([[1, t(2)]]) });
const proxyOptions = () => ({ get name() { return t("HMAC"); },
	get hash() { return t({ get name() { return t("SHA-256"); } }); } });

export default {
	async fetch(request) {
		const name = new URL(request.url).pathname.slice(1);
		if (name === "parts") return Response.json(Object.keys(parts));
		if (name !== "alive") await parts[name]();
		let n = 0;
		for await (const x of [1, Promise.resolve(1)]) n += x;
		try { throw n; } catch { await null; }
		return new Response([...function* () { yield* [n, ++n]; }()].join());
	},
};
