package worker

import (
	"context"
	"net/http"
	"testing"
)

// run starts a Worker whose fetch handler answers with what the body of an async function returns.
func run(t *testing.T, code string) string {
	t.Helper()
	w := start(t, "const test = async () => {\n"+code+"\n};\nexport default { async fetch() { return new Response(String(await test())) } }", nil)
	_, body, err := get(t, w, "http://x/")
	if err != nil {
		t.Fatalf("%s\n%v", code, err)
	}
	return body
}

// Async generators come through the bundler as other code; a program must not see that.
func TestAsyncGenerators(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{"intrinsics are reachable", `
			const G = Object.getPrototypeOf(async function* () {}), P = G.prototype, I = Object.getPrototypeOf(P);
			const same = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype) === I;
			return [same, G.constructor.name, G[Symbol.toStringTag], P[Symbol.toStringTag], P.constructor === G, Reflect.ownKeys(I).map(String), Object.getPrototypeOf(I) === Object.prototype].join()`,
			"true,AsyncGeneratorFunction,AsyncGeneratorFunction,AsyncGenerator,true,Symbol(Symbol.asyncIterator),Symbol(Symbol.asyncDispose),true"},
		{"every form is an async generator function", `
			async function* declared() { yield 1 }
			const o = { async *method() { yield 1 }, async *["a" + 1]() { yield 1 }, value: async function* () { yield 1 }, named: async function* inner() { yield 1 } };
			class C { async *method() { yield 1 } static async *fixed() { yield 1 } static async *#own() { yield 1 } async *[Symbol.asyncIterator]() { yield 1 } static own = C.#own; field = async function* () { yield 1 } }
			const c = new C(), out = [];
			for (const f of [declared, o.method, o.a1, o.value, o.named, c.method, C.fixed, C.own, c[Symbol.asyncIterator], c.field]) {
				const g = f();
				let fresh = true;
				try { new f(); fresh = false } catch (e) { fresh = e instanceof TypeError }
				out.push(f.name + " " + f.constructor.name.length + " " + Object.prototype.toString.call(g) + (g instanceof f) + fresh + (await g.next()).value + Object.hasOwn(f.prototype, "constructor"));
			}
			return new Set(out.map((s) => s.split(" ").slice(1).join(" "))).size + out[0] + "|" + out.map((s) => s.split(" ")[0]).join()`,
			"1declared 22 [object AsyncGenerator]truetrue1false|declared,method,a1,value,inner,method,fixed,#own,[Symbol.asyncIterator],field"},
		{"an object inherits from what prototype holds now", `
			async function* g() {} g.prototype = { __proto__: g.prototype, mine: 1 };
			const first = g().mine; g.prototype = null;
			return first + "," + (Object.getPrototypeOf(g()) === Object.getPrototypeOf(async function* () {}).prototype)`,
			"1,true"},
		{"requests queue while the body runs", `
			const log = []; let go; const gate = new Promise((r) => { go = r });
			async function* g() { log.push("in"); await gate; const a = yield 1; log.push(a); try { yield 2 } finally { log.push("out") } }
			const it = g();
			const all = [it.next("x"), it.next("a"), it.return("r"), it.next(), it.throw(new Error("late"))].map((p) => p.then((r) => log.push(r.value + "" + r.done), (e) => log.push(e.message)));
			log.push("sync"); go(); await Promise.all(all);
			return log.join()`,
			"in,sync,a,1false,2false,out,rtrue,undefinedtrue,late"},
		{"a rejected value is thrown at its yield", `
			async function* g() { try { yield Promise.reject(new Error("no")) } catch (e) { yield "caught " + e.message } return Promise.resolve("end") }
			const it = g(); return [await it.next(), await it.next(), await it.next()].map((r) => r.value + "" + r.done).join()`,
			"caught nofalse,endtrue,undefinedtrue"},
		{"a rejected value is thrown at its return", `
			async function* g() { try { return Promise.reject(new Error("no")) } catch (e) { const f = () => { return e.message }; return f() } }
			const r = await g().next(); return r.value + r.done`,
			"notrue"},
		{"return before the start and a promise given to return", `
			async function* g() { yield 1 }
			const it = g(); const r = await it.return(Promise.resolve(5)); const after = await it.next();
			const failed = await g().return(Promise.reject(new Error("bad"))).catch((e) => e.message);
			return r.value + "" + r.done + after.done + failed`,
			"5truetruebad"},
		{"throw before the start completes", `
			async function* g() { yield 1 }
			const it = g(); const e = await it.throw(7).catch((e) => e); return e + "" + (await it.next()).done`,
			"7true"},
		{"yield* passes all three on", `
			const log = [];
			const inner = { [Symbol.asyncIterator]() { return this },
				next(v) { log.push("next " + v); return { value: 1, done: false } },
				throw(v) { log.push("throw " + v); return Promise.resolve({ value: 2, done: false }) },
				return(v) { log.push("return " + v); return { value: v + "!", done: true } } };
			async function* g() { try { return yield* inner } finally { log.push("finally") } }
			const it = g(); await it.next("a"); await it.next("b"); await it.throw("c"); const r = await it.return("d");
			return log.join() + "|" + r.value + r.done`,
			"next undefined,next b,throw c,return d,finally|d!true"},
		{"yield* gives the delegate's result", `
			async function* a() { const got = yield 1; return "r" + got } async function* g() { yield "v" + (yield* a()) }
			const it = g(); await it.next(); return (await it.next(9)).value`, "vr9"},
		{"yield* of a generator that is not async", `
			const both = { [Symbol.iterator]: () => [4][Symbol.iterator](), [Symbol.asyncIterator]() { throw new Error("not this") } };
			function* f() { yield* [1, 2]; const f = yield* (function* () { return 3 })(); yield f; yield* both }
			class C { static *#own(v) { yield* v } static own(v) { return [...this.#own(v)] } }
			let nothing = ""; function* g() { yield* { [Symbol.iterator]() { return this }, next: () => ({ value: 1, done: false }), return: null } }
			const it = g(); it.next(); return [...f(), ...C.own([5]), it.return(6).value, it.next().done].join()`, "1,2,3,4,5,6,true"},
		{"yield* of a sync iterable awaits its values", `
			async function* g() { yield* [Promise.resolve(1), 2] }
			const out = []; for await (const v of g()) out.push(v); return out.join()`, "1,2"},
		{"yield* without throw closes the delegate", `
			let closed = 0;
			async function* g() { yield* { [Symbol.asyncIterator]() { return this }, next: () => ({ value: 1, done: false }), return() { closed++; return {} } } }
			const it = g(); await it.next(); const e = await it.throw(1).catch((e) => e);
			return e.name + ": " + e.message + closed`, "TypeError: The iterator does not provide a 'throw' method.1"},
		{"a foreign receiver rejects", `
			const { next } = Object.getPrototypeOf(async function* () {}).prototype;
			return next.call({}).catch((e) => e.name + ": " + e.message)`, "TypeError: Method [AsyncGenerator].prototype.next called on incompatible receiver #<Object>"},
		{"this, arguments and defaults", `
			class B { async *m(a, { b } = { b: 2 }) { yield "s" + a + b + arguments.length + (this instanceof B) } }
			let early; try { (async function* (x = (() => { throw new Error("now") })()) {})() } catch (e) { early = e.message }
			return (await new B().m(1).next()).value + early`, "s121truenow"},
		{"super", `
			class A { v(x) { return this.own + x } get w() { return "w" + this.own } }
			class B extends A { own = 1; async *m() { const f = () => super.v(2); yield super.v(1) + super["w"] + f() + { __proto__: { z: 5 }, q() { return super.z } }.q() + new (class extends A { own = 7; r() { return super.v(0) } })().r() }
				static async *s() { yield* super.toString === Function.prototype.toString ? [1] : [] } }
			return (await new B().m().next()).value + "," + (await B.s().next()).value`, "2w1357,1"},
		{"await using of a generator", `
			let done = 0; async function* g() { try { yield 1 } finally { done++ } }
			{ await using it = g(); await it.next() } return done`, "1"},
		{"for await closes and says what is no iterable", `
			let closed = 0; async function* g() { try { yield 1; yield 2 } finally { closed++ } }
			for await (const v of g()) break;
			let text; try { for await (const v of {}) ; } catch (e) { text = e.message }
			return closed + text`, "1#<Object> is not async iterable"},
		{"values come one turn after the promise they wait for", `
			const log = []; async function* g() { yield 1 }
			g().next().then(() => log.push("value"));
			Promise.resolve().then(() => log.push("1")).then(() => log.push("2")).then(() => log.push("3"));
			await new Promise((r) => setTimeout(r)); return log.join()`, "1,value,2,3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := run(t, c.code); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// The bundler's helpers are known whatever a program calls its own things.
func TestAsyncGeneratorNames(t *testing.T) {
	w := start(t, `
		let promise, isYieldStar, generator, __this, __arguments, value, obj, it, method, __await = 1, __asyncGenerator = 2, __yieldStar = 3, __forAwait = 4;
		async function* g() { for await (const v of [await 1, 2]) yield v; yield* [3] }
		export default { async fetch() {
			const out = [];
			for await (const v of g()) out.push(v);
			return new Response([out, promise, isYieldStar, generator, __this, __arguments, value, obj, it, method, __await, __asyncGenerator, __yieldStar, __forAwait, Object.prototype.toString.call(g())].join());
		} }`, nil)
	_, body, err := get(t, w, "http://x/")
	if want := "1,2,3,,,,,,,,,,1,2,3,4,[object AsyncGenerator]"; err != nil || body != want {
		t.Errorf("got %s, %v, want %s", body, err, want)
	}
}

func BenchmarkAsyncIteration(b *testing.B) {
	for _, c := range []struct{ name, code string }{
		{"for await", "let n = 0; for await (const v of g()) n += v;"},
		{"generators", "let n = 0; for (let i = 0; i < 100; i++) for await (const v of h()) n += v;"},
		{"delegated", "let n = 0; for await (const v of d()) n += v;"},
	} {
		b.Run(c.name, func(b *testing.B) {
			w, err := tryStart(&testing.T{}, `
				async function* g() { for (let i = 0; i < 1000; i++) yield await i }
				async function* h() { yield 1 }
				async function* d() { yield* g() }
				export default { async fetch() { `+c.code+` return new Response("" + n) } }`, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			b.ReportAllocs()
			for b.Loop() {
				req, _ := http.NewRequest("GET", "http://x/", nil)
				r, err := w.Fetch(context.Background(), req, FetchOptions{})
				if err != nil {
					b.Fatal(err)
				}
				r.Body.Close()
			}
		})
	}
}
