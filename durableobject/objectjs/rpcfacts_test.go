package objectjs

import (
	"strings"
	"testing"
)

const lifeCycleObject = `
export class A extends DurableObject {
	n = 0;
	add() { return ++this.n }
	who() { return "a" }
	list() { return [1, 2] }
	date() { return new Date() }
	target() { return new (class extends RpcTarget { hi() { return "hi" } }) }
	async wait(ms) { await sleep(ms); return ++this.n }
	async waitUntilFails() { this.ctx.waitUntil(Promise.reject(new Error("waited"))); return "answered" }
	async later() { this.ctx.waitUntil(sleep(20).then(() => { this.n += 10 })); setTimeout(() => { this.n += 100 }, 30); return "answered" }
	timerThrows() { setTimeout(() => { throw new Error("timer") }, 1); return "answered" }
	floating() { Promise.reject(new Error("floating")); return "answered" }
	badPut() { this.ctx.storage.put("k", () => {}); this.ctx.storage.put("other", 1); return "answered" }
	async other() { return (await this.ctx.storage.get("other")) + "," + (await this.ctx.storage.get("k")) }
	bump() { this.ctx.storage.put("other", ++this.n); throw new TypeError("bump") }
	async fetch(r) { const u = new URL(r.url); if (u.pathname === "/throw") throw new RangeError("fetch"); if (u.pathname === "/slow") { await sleep(50); this.n++ } return new Response(String(this.n)) }
	abort() { this.ctx.abort("stopped") }
	stuck() { return this.ctx.blockConcurrencyWhile(() => new Promise(() => {})) }
	big(n) { return new Uint8Array(n) }
	size(b) { return b.byteLength }
}
export class Once extends DurableObject {
	constructor(ctx, env) { super(ctx, env); log.push("constructed"); if (log.length === 1) throw Object.assign(new RangeError("first time"), { code: 4 }) }
	n() { return 1 }
	fetch() { return new Response("up") }
}
const log = [];
const all = (e) => e.name + ": " + e.message + " [" + ["remote", "retryable", "overloaded", "durableObjectReset"].filter((f) => e[f] === true).join() + "]";
const fails = async (p) => { try { return "fine " + await p } catch (e) { return all(e) } };
const a = (env, name) => env.A.getByName(name);
`

// What happens to an object, its stubs and its callers when something goes wrong, or nobody waits any more.
func TestObjectLifeFacts(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"A", "Once"}}, prelude+lifeCycleObject+`
const tests = {
	names: async (env) => { const s = a(env, "names"); const out = []; for (const n of ["call", "apply", "bind"]) out.push(await fails(s.who[n](null))); const f = s.who; return [...out, await f()].join("\n") },
	opaque: async (env) => { const s = a(env, "o"); return [await fails(s.list().length), await fails(s.list().map(() => 1)), await fails(s.list()), await fails(s.date().getTime())].join("\n") },
	disposedPromise: async (env) => { const p = a(env, "d").target(); p[Symbol.dispose](); return [await fails(p.hi()), await fails(p()), await fails(p.name)].join("\n") },
	limits: async (env) => [await fails(a(env, "l").size(new Uint8Array(33 << 20))), await fails(a(env, "l").big(33 << 20)), (await a(env, "l").big((32 << 20) - 64)).byteLength, await a(env, "l").size(new Uint8Array((32 << 20) - 64))].join("\n"),
	reset: async (env) => { const s = a(env, "r"); const waiting = s.wait(1000), fetching = s.fetch("http://x/slow"); return [await fails(s.abort()), await fails(waiting), await fails(fetching), await fails(s.add()), await fails(s.fetch("http://x/")), await fails(a(env, "r").add())].join("\n") },
	overloaded: async (env) => { const s = a(env, "o"); const stuck = s.stuck(), queued = s.add(); return [await fails(stuck), await fails(queued), await fails(s.add()), await fails(a(env, "o").add())].join("\n") },
	keeps: async (env) => { const s = a(env, "k"); return [await fails(s.bump()), await fails(s.fetch("http://x/throw")), await s.add(), await s.other()].join("\n") },
	leave: (env) => { a(env, "run").wait(50); a(env, "run").fetch("http://x/slow"); return "gone" },
	left: async (env) => { await sleep(200); return String(await a(env, "run").add()) },
	constructor: async (env) => { const s = env.Once.getByName("c"); const first = s.n(), second = s.n(); return [await fails(first), await fails(second), await fails(s.n()), await fails(s.fetch("http://x/")), await env.Once.getByName("c").n(), log.length].join("\n") },
	fetchFirst: async (env) => { log.length = 0; const s = env.Once.getByName("d"); return [await fails(s.fetch("http://x/")), await fails(s.fetch("http://x/")), await (await env.Once.getByName("d").fetch("http://x/")).text()].join("\n") },
	waitUntil: async (env) => [await a(env, "w").waitUntilFails(), await a(env, "w").later(), await sleep(100), await a(env, "w").add()].join(),
	timer: async (env) => [await a(env, "t").timerThrows(), await sleep(10), await a(env, "t").add()].join(),
	floating: async (env) => [await a(env, "f").floating(), await sleep(10), await a(env, "f").add()].join(),
	storage: async (env) => [await a(env, "s").badPut(), await sleep(10), await a(env, "s").other(), await a(env, "s").add()].join(),
};`)
	const reset = "Error: stopped [durableObjectReset]"
	const stuck = "Error: A call to blockConcurrencyWhile() in a Durable Object waited for too long. The call was canceled and the Durable Object was reset. [overloaded,durableObjectReset]"
	const first = "RangeError: first time "
	for _, f := range []struct{ fact, path, want, notes string }{
		{"RPC7: members of functions are names like others; detached functions work", "names", strings.Join([]string{
			`TypeError: The RPC receiver does not implement the method "call". [remote]`,
			`TypeError: The RPC receiver does not implement the method "apply". [remote]`,
			`TypeError: The RPC receiver does not implement the method "bind". [remote]`, "a"}, "\n"), ""},
		{"RPC5: nothing is reached in an array or another built-in", "opaque", strings.Join([]string{
			`TypeError: The RPC receiver does not implement the method "length". [remote]`,
			`TypeError: The RPC receiver does not implement the method "map". [remote]`, "fine 1,2",
			`TypeError: The RPC receiver does not implement the method "getTime". [remote]`}, "\n"), ""},
		{"RPC13: a promise that is disposed", "disposedPromise", strings.Repeat("Error: RPC promise used after being disposed. []\n", 2) + "Error: RPC promise used after being disposed. []", ""},
		{"RPC12: 32 MiB, either way", "limits", strings.Join([]string{
			"Error: Serialized RPC arguments or return values are limited to 32MiB, but the size of this value was: 34603028 bytes. []",
			"Error: Serialized RPC arguments or return values are limited to 32MiB, but the size of this value was: 34603023 bytes. [remote]",
			"33554368", "33554368"}, "\n"), ""},
		{"RPC17, RPC18: a reset fails what is in progress and breaks the stub for ever", "reset", strings.Join([]string{reset, reset, "Error: stopped [remote,durableObjectReset]", reset, reset, "fine 1"}, "\n"), ""},
		{"RPC17, GT6: overloaded", "overloaded", strings.Join([]string{stuck, stuck, stuck, "fine 1"}, "\n"), ""},
		{"RPC18: an exception resets nothing", "keeps", "TypeError: bump [remote]\nRangeError: fetch [remote]\n2\n1,undefined", "uncaught TypeError: bump|uncaught RangeError: fetch"},
		{"RPC19: calls run on when their caller has ended", "leave", "gone", ""},
		{"RPC19: they did", "left", "3", ""},
		{"CL4: the constructor's error", "constructor", strings.Join([]string{first + "[durableObjectReset]", first + "[durableObjectReset]", first + "[durableObjectReset]", first + "[durableObjectReset]", "1", "2"}, "\n"), "uncaught RangeError: first time"},
		{"CL4: remote on fetch", "fetchFirst", first + "[remote,durableObjectReset]\n" + first + "[durableObjectReset]\nup", "uncaught RangeError: first time"},
		{"GT10: work finishes without waitUntil; a rejection is logged", "waitUntil", "answered,answered,,111", "uncaught Error: waited"},
		{"GT11: a timer that throws is logged", "timer", "answered,,1", "uncaught Error: timer"},
		{"GT11: an unhandled rejection prints nothing", "floating", "answered,,1", ""},
		{"GT12: so does a storage error nobody awaits", "storage", "answered,,1,undefined,1", ""},
	} {
		b.notes()
		if got := b.get(w, "/"+f.path); got != f.want {
			t.Errorf("%s\n got: %s\nwant: %s", f.fact, got, f.want)
		}
		if got := b.notes(); got != f.notes {
			t.Errorf("%s: notes\n got: %s\nwant: %s", f.fact, got, f.notes)
		}
	}
}

// RPC22: without the flag rpc a stub has no methods, and says why. Its own members work.
func TestWithoutRPC(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"A"}, date: "2024-04-02"}, prelude+`
export class A extends DurableObject { hi() { return "hi" } fetch() { return new Response("fetched") } }
const tests = {
	missing: async (env) => { const s = env.A.get(env.A.idFromName("a")); return [typeof s.hi, await caught(() => s.hi()), await (await s.fetch("http://x/")).text(), "hi" in s, s.id.toString().length].join("|") },
};`)
	if got, want := b.get(w, "/missing"), `undefined|TypeError: s.hi is not a function|fetched|false|64`; got != want {
		t.Errorf("\n got: %s\nwant: %s", got, want)
	}
	if got, want := b.notes(), "warn: WARNING: Tried to access method or property 'hi' on a Service Binding or Durable Object stub. Are you trying to use RPC? If so, please enable the 'rpc' compat flag or update your compat date to 2024-04-03 or later"; !strings.HasPrefix(got, want) {
		t.Errorf("notes\n got: %s\nwant: %s…", got, want)
	}
}
