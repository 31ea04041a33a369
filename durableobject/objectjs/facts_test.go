package objectjs

import (
	"strings"
	"testing"
)

// facts runs a Worker's tests; want maps each to what it must answer.
func facts(t *testing.T, c config, src string, want [][2]string) {
	t.Helper()
	b := newBench(t)
	w := b.start(c, prelude+src)
	for _, f := range want {
		b.notes()
		if got := b.get(w, "/"+f[0]); got != f[1] {
			got = got[:min(len(got), 4000)]
			t.Errorf("%s\n got: %s\nwant: %s\nnotes: %s", f[0], got, f[1], strings.ReplaceAll(b.notes(), "|", "\n   "))
		}
	}
}

const rpcObject = `
class Target extends RpcTarget { constructor(p) { super(); this.p = p } hi(x) { return this.p + x } [Symbol.dispose]() { log.push("disposed " + this.p) } }
const log = [];
class MyErr extends Error { name = "MyErr" }
export class A extends DurableObject {
	field = 1; arrow = () => 1; static s() {} #p() {}
	echo(...args) { return args.length === 1 ? args[0] : args }
	count() { return arguments.length }
	get getter() { return 7 }
	get later() { return Promise.resolve(8) }
	get objGetter() { return { f: (n) => n * 2, n: 1 } }
	set setter(v) {}
	_under() { return "u" }
	target(p) { return new Target(p) }
	fn(n) { return (x) => x + n }
	async callback(f) { return (await f(20)) + 1 }
	async keep(f) { this.kept = f; this.dup = f.dup() }
	async useKept() { return await caught(() => this.kept(1)) }
	async useDup() { return await this.dup(1) }
	boom(kind) {
		if (kind === "type") throw Object.assign(new TypeError("t"), { code: 5 });
		if (kind === "custom") throw new MyErr("custom");
		if (kind === "dom") throw new DOMException("d", "AbortError");
		if (kind === "string") throw "a string";
		if (kind === "object") throw { a: 1 };
		if (kind === "null") throw null;
		throw new Error("plain");
	}
	plain() { return new (class Plain {})() }
	errorValue() { return Object.assign(new RangeError("as value"), { code: 1 }) }
	stream() { return new Response("streamed").body }
	response() { return new Response("resp", { status: 201, headers: { a: "b" } }) }
	async request(r) { return r.method + " " + r.url + " " + r.headers.get("x") + " " + await r.text() }
	async write(w) { const g = w.getWriter(); await g.write(new TextEncoder().encode("into")); await g.close() }
	late() { setTimeout(() => log.push("late"), 50); return 1 }
	async slow(n) { await sleep(n); log.push("slow" + n); return n }
	big(n) { return "x".repeat(n) }
	self() { return this.env.A.getByName("other").echo("via") }
}
export class P { constructor(state, env) { this.state = state } foo() { return 1 } fetch() { return new Response("plain class") } }
export class Reset extends DurableObject {
	n = 0;
	add() { return ++this.n }
	abort(r) { this.ctx.storage.put("lost", 1); this.ctx.abort(r) }
	bump() { throw new Error("bump") }
	async lost() { return (await this.ctx.storage.get("lost")) ?? "nothing" }
	async section() { try { await this.ctx.blockConcurrencyWhile(async () => { throw new Error("in section") }) } catch (e) { return "caught" } }
	async hang() { await this.ctx.blockConcurrencyWhile(() => new Promise(() => {})) }
}
export class Bad extends DurableObject { constructor(ctx, env) { super(ctx, env); throw new Error("ctor") } x() {} }
`

// RPC1 to RPC21, CL1 to CL6, GT5 to GT8.
func TestRPCFacts(t *testing.T) {
	c := config{classes: []string{"A", "P", "Reset", "Bad"}}
	facts(t, c, rpcObject+`
const a = (env) => env.A.getByName("a");
const tests = {
	shape(env) { const s = a(env); return [Object.keys(s).join(), typeof s.foo, "foo" in s, s.then === undefined, Object.prototype.toString.call(s.foo), String(s), s[0], JSON.stringify(s)].join(" ") },
	async awaited(env) { const s = a(env); return (await s) === s },
	promise(env) { const p = a(env).echo(1); return [typeof p, p instanceof Promise, Object.prototype.toString.call(p), typeof p.then].join(" ") },
	async all(env) { const s = a(env); const p = s.echo(2); return [await p, await p, (await Promise.all([s.echo(1), s.echo("x")])).join()].join(" ") },
	async arity(env) { const s = a(env); return [await s.count(), await s.count(undefined), await s.count(1, 2)].join() },
	async members(env) { const s = a(env); const out = [await s._under(), await s.getter, await s.later];
		for (const n of ["field", "arrow", "s", "ctx", "env", "setter", "hasOwnProperty2", "nope"]) out.push(await caught(() => s[n]())); return out.join("\n") },
	async notFunction(env) { return caught(() => a(env).getter()) },
	async pipelining(env) { const s = a(env); return [await s.objGetter.f(4), await s.objGetter.n, await s.target("P").hi("z"), await s.fn(3)(4), await caught(() => s.echo(5).nope())].join("|") },
	async reserved(env) { const s = a(env); return [await caught(() => s.alarm()), await caught(() => s.webSocketMessage()), await caught(() => s.dup())].join("\n") },
	async detached(env) { const f = a(env).echo; return f(8) },
	async values(env) { const s = a(env); const o = { d: new Date(5), m: new Map([[1, { x: 1 }]]), s: new Set([1]), r: /x/g, b: 5n, u: new Uint8Array([1, 2]), e: new RangeError("e"), n: NaN, z: -0, i: Infinity, un: undefined };
		o.self = o; const r = await s.echo(o); return [r.d.getTime(), r.m.get(1).x, r.s.has(1), r.r.source, r.b === 5n, r.u.join(), r.e.name, Number.isNaN(r.n), Object.is(r.z, -0), r.i, "un" in r, r.self === r, r !== o].join() },
	async callbacks(env) { const s = a(env); return [await s.callback((x) => x * 2), await s.callback(async (x) => { await sleep(1); return x })].join() },
	async dies(env) { const s = a(env); await s.keep((x) => x + 1); return [await s.useKept(), await s.useDup()].join("|") },
	async disposal(env) { log.length = 0; const t = await a(env).target("D"); await t.hi(1); t[Symbol.dispose](); await sleep(5); return log.join() + "|" + await caught(() => t.hi(1)) },
	async wraps() { return [await caught(() => new RpcStub(5)), await caught(() => new RpcStub(new Date())), await new RpcStub({ x: 4 }).x, await new RpcStub((y) => y + 1)(2)].join("|") },
	async errors(env) { const s = a(env); const out = []; for (const k of ["type", "custom", "dom", "string", "object", "null", "plain"]) out.push(await caught(() => s.boom(k)));
		try { await s.boom("type") } catch (e) { out.push(e.code + " " + (e instanceof TypeError)) } return out.join("\n") },
	async clone(env) { const s = a(env); const out = []; for (const v of [new (class Foo {})(), Symbol("q"), new WeakMap(), s, env.A, new URL("http://x/"), Object.create(null), env.A.idFromName("x")]) out.push(await caught(() => s.echo(v))); out.push(await caught(() => s.plain())); return out.join("\n") },
	async errorValue(env) { const e = await a(env).errorValue(); return [e.name, e.message, e.code].join() },
	async streams(env) { const s = a(env); const r = await s.response(); const { readable, writable } = new IdentityTransformStream(); s.write(writable);
		return [await new Response(await s.stream()).text(), r.status, r.headers.get("a"), await r.text(), await s.request(new Request("http://h/p", { method: "POST", body: "body", headers: { x: "y" } })), await new Response(readable).text()].join("|") },
	async limit(env) { return caught(() => a(env).echo("x".repeat(33 * 1024 * 1024))) },
	async order(env) { const s = a(env); log.length = 0; s.slow(0); s.echo(1); await env.A.getByName("a").slow(5); return log.join() },
	async ends(env) { log.length = 0; a(env).slow(30); return "gone" },
	async ended(env) { await sleep(100); return log.join() },
	async nested(env) { return a(env).self() },
	async plainClass(env) { const p = env.P.getByName("p"); return [await (await p.fetch("http://x/")).text(), await caught(() => p.foo())].join("|") },
	async relative(env) { return [await caught(() => a(env).fetch("/foo")), await caught(() => a(env).fetch())].join("|") },
	async noFetch(env) { return caught(() => a(env).fetch("http://x/")) },
	async handlerThrows(env) { const s = env.Reset.getByName("h"); await s.add(); await caught(() => s.bump()); return s.add() },
	async abort(env) { const s = env.Reset.getByName("r"); await s.add(); const out = [await caught(() => s.abort("why")), await caught(() => s.add())]; const n = env.Reset.getByName("r"); return [...out, await n.add(), await n.lost()].join("\n") },
	async abortPlain(env) { return caught(() => env.Reset.getByName("r2").abort()) },
	async section(env) { const s = env.Reset.getByName("s"); const other = s.add(); return [await caught(() => s.section()), await other, await caught(() => s.add()), await env.Reset.getByName("s").add()].join("\n") },
	async sectionTime(env) { const s = env.Reset.getByName("t"); return [await caught(() => s.hang()), await caught(() => s.add())].join("\n") },
	async bad(env) { const s = env.Bad.getByName("b"); return [await caught(() => s.x()), await caught(() => s.x()), await caught(() => s.fetch("http://x/"))].join("\n") },
	async ids(env) { const id = env.A.idFromName("a"); const out = [String(id) === env.A.idFromString(String(id).toUpperCase()).toString(), id.equals(env.A.idFromName("a")), JSON.stringify(id), JSON.stringify(env.A.newUniqueId()), env.A.newUniqueId().name];
		out.push(await caught(() => env.A.idFromString("x")), await caught(() => env.A.idFromString("00".repeat(32))), await caught(() => env.A.idFromName()), await caught(() => env.A.get("a")), await caught(() => env.A.newUniqueId({ jurisdiction: "eu" })), await caught(() => env.A.get(id, { routingMode: "zzz" })));
		return out.join("\n") },
};`, [][2]string{
		{"shape", `name,id function true true [object JsRpcProperty] [object DurableObject]  {"name":"a","id":{"name":"a"}}`},
		{"awaited", "true"},
		{"promise", "function false [object JsRpcPromise] function"},
		{"all", "2 2 1,x"},
		{"arity", "0,1,2"},
		{"members", "u\n7\n8\n" + strings.Join(noMethods("field", "arrow", "s", "ctx", "env", "setter", "hasOwnProperty2", "nope"), "\n")},
		{"notFunction", `TypeError: "getter" is not a function. remote`},
		{"pipelining", "8|1|Pz|7|" + noMethods("nope")[0]},
		{"reserved", "TypeError: 'alarm' is a reserved method and cannot be called over RPC. remote\nTypeError: 'webSocketMessage' is a reserved method and cannot be called over RPC. remote\nTypeError: 'dup' is a reserved method and cannot be called over RPC. remote"},
		{"detached", "8"},
		{"values", "5,1,true,x,true,1,2,RangeError,true,true,Infinity,true,true,true"},
		{"callbacks", "41,21"},
		{"dies", "Error: RPC stub used after being disposed.|2"},
		{"disposal", "disposed D|Error: RPC stub used after being disposed."},
		{"wraps", "TypeError: Failed to construct 'JsRpcStub': constructor parameter 1 is not of type 'Object'.|TypeError: RpcStubs can only wrap plain objects, functions, and RpcTarget derivatives.|4|3"},
		{"errors", "TypeError: t remote\nError: MyErr: custom remote\nAbortError: d remote\nError: a string remote\nError: #<Object> remote\nError: null remote\nError: plain remote\nundefined true"},
		{"clone", strings.Join([]string{
			`DataCloneError: Could not serialize object of type "Foo". This type does not support serialization.`,
			`DataCloneError: Symbol(q) could not be cloned.`, `DataCloneError: #<WeakMap> could not be cloned.`,
			// A stub crosses, as a service stub without id and name.
			`no error: [object Fetcher]`,
			`DataCloneError: Could not serialize object of type "DurableObjectNamespace". This type does not support serialization.`,
			`DataCloneError: Could not serialize object of type "URL". This type does not support serialization.`,
			`DataCloneError: Could not serialize object of type "Object". This type does not support serialization.`,
			`DataCloneError: Could not serialize object of type "DurableObjectId". This type does not support serialization.`,
			`DataCloneError: Could not serialize object of type "Plain". This type does not support serialization. remote`,
		}, "\n")},
		{"errorValue", "RangeError,as value,"},
		{"streams", "streamed|201|b|resp|POST http://h/p y body|into"},
		{"limit", "Error: Serialized RPC arguments or return values are limited to 32MiB, but the size of this value was: 34603020 bytes."},
		{"order", "slow0,slow5"},
		{"ends", "gone"},
		{"ended", "slow30"},
		{"nested", "via"},
		{"plainClass", "plain class|TypeError: The receiving Durable Object does not support RPC, because its class was not declared with `extends DurableObject`. In order to enable RPC, make sure your class extends the special class `DurableObject`, which can be imported from the module \"cloudflare:workers\". remote"},
		{"relative", "TypeError: Invalid URL: /foo|TypeError: Failed to execute 'fetch' on 'Fetcher': parameter 1 is not of type 'Request or string'."},
		{"noFetch", "Error: Handler does not export a fetch() function. remote"},
		{"handlerThrows", "2"},
		{"abort", "Error: why durableObjectReset\nError: why durableObjectReset\n1\nnothing"},
		{"abortPlain", "Error: Application called abort() to reset Durable Object. durableObjectReset"},
		{"section", "Error: in section durableObjectReset\n1\nError: in section durableObjectReset\n1"},
		{"sectionTime", "Error: A call to blockConcurrencyWhile() in a Durable Object waited for too long. The call was canceled and the Durable Object was reset. overloaded durableObjectReset\nError: A call to blockConcurrencyWhile() in a Durable Object waited for too long. The call was canceled and the Durable Object was reset. overloaded durableObjectReset"},
		{"bad", "Error: ctor durableObjectReset\nError: ctor durableObjectReset\nError: ctor durableObjectReset"},
		{"ids", "true\ntrue\n{\"name\":\"a\"}\n{}\n\nTypeError: Invalid Durable Object ID: must be 64 hex digits\nTypeError: Durable Object ID is not valid for this namespace.\nTypeError: Failed to execute 'idFromName' on 'DurableObjectNamespace': parameter 1 is not of type 'string'.\nTypeError: Failed to execute 'get' on 'DurableObjectNamespace': parameter 1 is not of type 'DurableObjectId'.\nError: Jurisdiction restrictions are not implemented in workerd.\nRangeError: unknown routingMode: zzz"},
	})
}

func noMethods(names ...string) []string {
	var out []string
	for _, n := range names {
		out = append(out, `TypeError: The RPC receiver does not implement the method "`+n+`". remote`)
	}
	return out
}
