package objectjs

import (
	"strings"
	"testing"
	"time"
)

const gateObject = `
let shared = 0; const order = [];
const log = (x) => order.push(x), took = () => order.splice(0).join();
export class G extends DurableObject {
	async micro() { this.n ??= 0; const n = this.n; await null; await Promise.resolve(); await (async () => {})(); return this.n = n + 1 }
	async count(how) {
		const s = this.ctx.storage, n = (await s.get("n")) ?? 0;
		await how; return await s.put("n", n + 1), n + 1;
	}
	async storageWaits(i) {
		const s = this.ctx.storage; log("in" + i);
		await s.get("a"); await s.put("a", 1); await s.list(); await s.delete("a"); await s.setAlarm(Date.now() + 60000); await s.getAlarm(); await s.deleteAlarm(); await s.deleteAll(); await s.transaction(() => {});
		log("out" + i);
	}
	alarm() {}
	ticks() {
		return new Promise((done) => {
			const s = this.ctx.storage;
			setTimeout(() => { log("t0"); done(took()) }, 0);
			s.sync().then(() => log("sync"));
			(async () => { await null; await null; await null; log("3micro") })();
			s.put("x", 1).then(() => log("put"));
			s.get("x").then(() => log("get"));
			Promise.resolve().then(() => log("micro"));
		});
	}
	async yields(how) {
		const v = this.v ?? 0;
		if (how === "timeout") await sleep(1);
		if (how === "wait") await scheduler.wait(1);
		if (how === "fetch") await (await this.env.G.getByName("other").fetch("http://x/")).text();
		if (how === "rpc") await this.env.G.getByName("other").nothing();
		if (how === "self") await this.env.G.getByName(this.ctx.id.name).nothing();
		if (how === "sync") { this.ctx.storage.put("k", v); await this.ctx.storage.sync() }
		if (how === "bookmark") await this.ctx.storage.getCurrentBookmark();
		if (how === "stream") { const { readable, writable } = new TransformStream(); const w = writable.getWriter(); setTimeout(() => { w.write(1); w.close() }, 1); for await (const _ of readable); }
		return this.v = v + 1;
	}
	nothing() {}
	async pause(ms) { await sleep(ms) }
	fetch() { return new Response("f") }
	async txn(i) { await this.ctx.storage.transaction(async () => { log(i + "1"); await sleep(5); log(i + "2") }) }
	async txns() { const a = this.ctx.storage.transaction(async () => { log("a1"); await sleep(5); log("a2") }), b = this.ctx.storage.transaction(async () => { log("b1") }); log("sync code"); await a; await b; return took() }
	touch(i) { log(i) }
	async block() { return [await this.ctx.blockConcurrencyWhile(async () => { await sleep(5); return await this.ctx.blockConcurrencyWhile(async () => "nested") }), await caught(() => this.ctx.blockConcurrencyWhile(5))].join("|") }
	async blockFor(ms) { await this.ctx.blockConcurrencyWhile(async () => { await sleep(ms); log("blocked") }) }
	async deadlock() { const t = sleep(1); await this.ctx.blockConcurrencyWhile(() => t) }
	async txnFor(ms) { await this.ctx.storage.transaction(() => sleep(ms)) }
	async selfDeadlock() { await this.ctx.blockConcurrencyWhile(() => this.env.G.getByName(this.ctx.id.name).nothing()) }
	add() { globalThis.fromObject = this.ctx.id.name; return ++shared }
	async uncaughtSection() { try { await this.ctx.blockConcurrencyWhile(() => { throw new TypeError("section") }) } catch {} return "caught it" }
}
export class Slow extends DurableObject {
	constructor(ctx, env) { super(ctx, env); log("ctor"); ctx.blockConcurrencyWhile(async () => { log("block"); await sleep(5); log("unblock") }); log("rest") }
	hi() { log("hi") }
}
const g = (env, n) => env.G.getByName(n);
const three = async (f) => (await Promise.all([f(1), f(2), f(3)])).join();
const tests = {
	micro: (env) => three(() => g(env, "m").micro()),
	counters: async (env) => (await Promise.all(Array.from({ length: 5 }, () => g(env, "c").count()))).join(),
	storage: async (env) => { await three((i) => g(env, "s").storageWaits(i)); return took() },
	ticks: (env) => g(env, "t").ticks(),
	...Object.fromEntries(["timeout", "wait", "fetch", "rpc", "self", "sync", "bookmark", "stream"].map((how) => [how, (env) => three(() => g(env, how).yields(how))])),
	txn: (env) => g(env, "x").txns(),
	txnEvents: async (env) => { const s = g(env, "y"); await s.nothing(); await Promise.all([s.txn("a"), s.txn("b"), s.touch("event")]); return took() },
	block: (env) => g(env, "b").block(),
	blocked: async (env) => { const s = g(env, "b2"); await s.nothing(); await Promise.all([s.blockFor(5), s.touch("first"), s.touch("second")]); return took() },
	constructed: async (env) => { await env.Slow.getByName("a").hi(); return took() },
	failed: async (env) => { const s = g(env, "f"); const waiting = caught(() => s.pause(60)); const one = caught(() => s.uncaughtSection()); return [await one, await waiting, await caught(() => s.nothing()), await caught(() => g(env, "f").add().then(() => "fresh"))].join("\n") },
	limit: async (env) => { const s = g(env, "l"); await s.nothing(); const began = Date.now(); const a = caught(() => s.blockFor(31000)), b = caught(() => s.nothing()); return [await a, Date.now() - began, await b, await caught(() => g(env, "l").nothing())].join("\n") },
	txnLimit: (env) => caught(() => g(env, "tl").txnFor(31000)),
	within: async (env) => caught(() => g(env, "w").blockFor(29900)),
	deadlock: async (env) => { const began = Date.now(); return [await caught(() => g(env, "d").deadlock()), await caught(() => g(env, "d").selfDeadlock()), Date.now() - began].join("\n") },
	globals: async (env) => { const out = [await g(env, "one").add(), await g(env, "two").add(), ++shared, globalThis.fromObject]; return out.join() },
};`

const sectionLate = "Error: A call to blockConcurrencyWhile() in a Durable Object waited for too long. The call was canceled and the Durable Object was reset. overloaded durableObjectReset"

// The rules of concurrency, sentence by sentence.
func TestGateFacts(t *testing.T) {
	facts(t, config{classes: []string{"G", "Slow"}}, gateObject, [][2]string{
		{"micro", "1,2,3"},                        // GT1
		{"counters", "1,2,3,4,5"},                 // GT2
		{"storage", "in1,out1,in2,out2,in3,out3"}, // GT2
		{"ticks", "put,get,micro,3micro,sync,t0"}, // GT2, KV16
		{"timeout", "1,1,1"},                      // GT3, from here
		{"wait", "1,1,1"},
		{"fetch", "1,1,1"},
		{"rpc", "1,1,1"},
		{"self", "1,1,1"},
		{"sync", "1,1,1"},
		{"bookmark", "1,1,1"},
		{"stream", "1,1,1"},
		{"txn", "sync code,a1,a2,b1"},      // TX4
		{"txnEvents", "a1,a2,b1,b2,event"}, // TX4, AL8: an alarm is an event like these
		{"block", "nested|TypeError: Failed to execute 'blockConcurrencyWhile' on 'DurableObjectState': parameter 1 is not of type 'function'."}, // GT4
		{"blocked", "blocked,first,second"},           // GT4
		{"constructed", "ctor,rest,block,unblock,hi"}, // GT4, CL3
		{"failed", "TypeError: section durableObjectReset\nTypeError: section durableObjectReset\nTypeError: section durableObjectReset\nno error: fresh"}, // GT5
		{"limit", sectionLate + "\n30000\n" + sectionLate + "\nno error: undefined"},                                                                       // GT6
		{"within", "no error: undefined"},
		{"deadlock", sectionLate + "\n" + sectionLate + "\n60000"}, // GT6
		{"globals", "2,3,4,two"},                                   // GT14
	})
}

// AL8: a handler has 15 minutes; then it is a failed try, and does not go on beside the next one. It enters like any
// event: not while a section is open.
func TestAlarmFacts(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"L"}}, prelude+`
let runs = []; let released = 0;
export class L extends DurableObject {
	async set(mode) { this.mode = mode; await this.ctx.storage.put("mode", mode); await this.ctx.storage.setAlarm(Date.now() + 1) }
	async hold() { await this.ctx.blockConcurrencyWhile(() => sleep(1000)); runs.push("released " + Date.now() % 1e6) }
	async alarm(info) {
		const mode = await this.ctx.storage.get("mode");
		runs.push(mode + info.retryCount + " " + Date.now() % 1e7);
		if (mode === "long" && !info.isRetry) { await this.ctx.storage.put("kept", 1); await sleep(16 * 60000); runs.push("went on") }
		if (mode === "just" ) await sleep(15 * 60000 - 1);
	}
	async after() { return (await this.ctx.storage.get("kept")) + " " + (await this.ctx.storage.getAlarm()) }
}
const tests = {
	long: async (env) => { await env.L.getByName("long").set("long"); await sleep(17 * 60000); return runs.splice(0).join() + "|" + await env.L.getByName("long").after() },
	just: async (env) => { await env.L.getByName("just").set("just"); await sleep(17 * 60000); return runs.splice(0).map((s) => s.split(" ")[0]).join() },
	held: async (env) => { const s = env.L.getByName("held"); await s.set("held"); const h = s.hold(); await sleep(5000); await h; return runs.splice(0).map((s) => s.split(" ")[0]).join() },
};`)
	b.expect(w, "/long", "long0 1600001,long1 2502001|1 null")
	if n := b.notes(); !strings.Contains(n, "uncaught Error: Alarm exceeded its allowed execution time") {
		t.Errorf("AL9: it was reported as %q", n)
	}
	b.expect(w, "/just", "just0")
	b.expect(w, "/held", "released,held0")
}

// GT9 on the virtual clock: what keeps an object in memory and what does not.
func TestIdleFacts(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"I"}}, prelude+`
let born = 0;
export class I extends DurableObject {
	constructor(ctx, env) { super(ctx, env); this.n = ++born }
	who() { return this.n }
	timer(ms) { setTimeout(() => {}, ms); return this.n }
	interval() { this.t = setInterval(() => {}, 3000); return this.n }
	stop() { clearInterval(this.t); return this.n }
	until(ms) { this.ctx.waitUntil(sleep(ms)); return this.n }
	async work(ms) { await sleep(ms); return this.n }
	async wake(ms) { await this.ctx.storage.setAlarm(Date.now() + ms); return this.n }
	alarm() {}
	fetch(request) {
		const [client, server] = Object.values(new WebSocketPair());
		if (request.url.endsWith("plain")) { server.accept(); server.addEventListener("message", () => server.send(String(this.n))) } else {
			this.ctx.acceptWebSocket(server); this.ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong")) }
		return new Response(null, { status: 101, webSocket: client });
	}
	webSocketMessage(ws) { ws.send(String(this.n)) }
}
const i = (env, n) => env.I.getByName(n);
const again = async (env, n, first, wait) => { const a = await first(i(env, n)); await sleep(wait); return a === await i(env, n).who() ? "same" : "new" };
const tests = new Proxy({
	nine: (env) => again(env, "nine", (s) => s.who(), 9000),
	eleven: (env) => again(env, "eleven", (s) => s.who(), 11000),
	timer: (env) => again(env, "timer", (s) => s.timer(12500), 13000),
	interval: async (env) => [await again(env, "interval", (s) => s.interval(), 60000), await again(env, "interval", (s) => s.stop(), 11000)].join(),
	until: (env) => again(env, "until", (s) => s.until(12500), 13000),
	work: async (env) => { const w = i(env, "work").work(13000); await sleep(12000); const n = await i(env, "work").who(); return n === await w ? "same" : "new" },
	alarm: (env) => again(env, "alarm", (s) => s.wake(8000), 16000),
	reset: async (env) => { const n = await i(env, "reset").who(); const out = []; for (let j = 0; j < 3; j++) { await sleep(8000); out.push(n === await i(env, "reset").who()) } return out.join() },
}, { get: (t, n) => t[n] ?? ((env, ctx, request) => i(env, n).fetch("http://x/" + n, request)) });
`)
	for _, c := range [][2]string{
		{"nine", "same"}, {"eleven", "new"}, {"timer", "same"}, {"interval", "same,new"}, {"until", "same"}, {"work", "same"},
		{"alarm", "same"}, {"reset", "true,true,true"},
	} {
		b.expect(w, "/"+c[0], c[1])
	}
	b.clock.WaitIdle(t.Context())
	b.clock.Pause()
	plain, hibernating := b.dial(w, "/plain"), b.dial(w, "/sleeping")
	// Both were born just now, in this order.
	b.talk(plain, "who", "11")
	b.talk(hibernating, "who", "12")
	b.clock.Advance(t.Context(), time.Minute)
	b.talk(plain, "who", "11")       // a standard socket keeps it in memory
	b.talk(hibernating, "who", "13") // a hibernatable one does not
	for range 3 {
		b.clock.Advance(t.Context(), 8*time.Second)
		b.talk(hibernating, "ping", "pong")
	}
	b.talk(hibernating, "who", "14") // automatic responses did not count as life
	for range 3 {
		b.clock.Advance(t.Context(), 8*time.Second)
		b.talk(hibernating, "who", "14") // messages do
	}
}
