package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// asyncCallees note in r what happens, in its order, where native functions call async functions.
var asyncCallees = []string{
	`const wait = (n) => { let p = Promise.resolve(); while (n--) p = p.then(() => {}); return p };
		let t = Promise.resolve(); for (let i = 0; i < 9; i++) t = t.then(() => r.push("t" + i));
		Promise.all([3, 1, 2].map(async (x, i, list) => { r.push("begins", x, i, list.length); await wait(x);
		r.push("goes on", x); return x * 2 })).then((v) => r.push(...v));
		[1, 2].forEach(async function (x) { r.push(typeof this, arguments.length); await 0; r.push("f", x) }, "this");
		const o = { k: 5, async m(x) { r.push(this.k, x); await null; return this.k + x } };
		Promise.all([1, 2].map(o.m, o)).then((v) => r.push(...v)); r.push("end")`,
	`const fails = [1, 2].map(async (x) => { if (x === 1) throw "now"; await 0; throw "later" });
		fails.forEach((p) => p.catch((e) => r.push(e))); r.push(fails.length, fails[0] instanceof Promise);
		Promise.allSettled(fails).then((l) => r.push(l.map((x) => x.status).join()));
		(async () => { for (const p of [1, 2].map(async (x) => Promise.resolve(x))) r.push(await p) })()`,
	`Promise.resolve(1).then(async (v) => { r.push(v); await 0; return v + 1 }).then((v) => r.push(v));
		Promise.resolve().finally(async () => { await 0; r.push("finally") }).then(() => r.push("after"));
		new Promise(async (y) => { await 0; y("executor") }).then((v) => r.push(v));
		"a1b2".replace(/\d/g, async (d) => d).length; r.push([2, 1].sort(async () => 1).length,
		Array.from([1], async (x) => x)[0] instanceof Promise, [1].filter(async () => false).length,
		[1, 2].reduce(async (a, x) => (await a) + x, 0) instanceof Promise, Reflect.apply(async function () {
		return this }, 1, []) instanceof Promise, (async () => {}).call() instanceof Promise)`,
	`const deep = async (n) => n === 0 ? "end" : (await Promise.all([n].map(async (k) => deep(k - 1))))[0];
		deep(20).then((v) => r.push(v)); async function f() { return [1, 2].map(async () => { const g = async () =>
		arguments[0]; return g() }) } f("args").then((l) => Promise.all(l)).then((v) => r.push(...v));
		function N() { return [1].map(async () => new.target === N)[0] } new N().then((v) => r.push("new", v));
		[1].map(async () => { try { await Promise.reject("caught") } catch (e) { r.push(e) } finally {
		r.push("finally") } }); const g = { get [Symbol.toPrimitive]() { return async () => 1 } };
		try { String(g) } catch (e) { r.push(e.name) }`,
	`class A { x() { return "A" } async y() { return this.x() } } class B extends A { async y() {
		return (await Promise.all([1].map(async () => super.y())))[0] + "B" }
		static async s() { return [1].map(async () => super.name) } x() { return "b" } #p = 1;
		async q() { return Promise.all([1, 2].map(async (k) => this.#p + k)) } }
		new B().y().then((v) => r.push(v)); new B().q().then((v) => r.push(...v)); B.s().then((v) => r.push(v.length));
		const o = { __proto__: { t() { return "t" } }, async t() { return [1].map(async () => super.t())[0] } };
		o.t().then((v) => r.push(v))`,
	`const f = async function named(a, b = 1) {}; const g = async () => {}, h = { async m(x) {} }.m;
		for (const k of [f, g, h]) { r.push(k.name, k.length, Object.keys(k), Object.getPrototypeOf(k) ===
		Object.getPrototypeOf(async () => {}), String(k), typeof k, "prototype" in k, k instanceof Function,
		Object.prototype.toString.call(k), Reflect.ownKeys(k).join()); k.extra = 1; delete k.name; Object.freeze(k);
		r.push(k.extra, k.name, Object.isFrozen(k), Object.create(k).extra);
		try { new k() } catch (e) { r.push(e.name) }
		try { class C extends k {} } catch (e) { r.push(e.name) } r.push(k.bind(1)() instanceof Promise) }
		r.push(typeof new Proxy(g, {})(), [g].includes(g), new Set([g]).has(g))`,
	`(async () => { const e = await [1].map(async function cb() { await 0; return new Error("in").stack })[0];
		r.push(e); [1].map(async () => { r.push(new Error("at once").stack) }) })()`,
}

// Async functions that native functions call are goja's own to all that can see them.
func TestAsyncCallees(t *testing.T) { compareCalls(t, asyncCallees) }

// A native function calls what has a way of ours, unless something within it asks for its home.
func TestAsyncMakers(t *testing.T) {
	l, rt := layout(t), goja.New()
	v := runQuickened(t, l, rt, `({ a: async () => {}, b: async function () {}, c: ({ async m() {} }).m,
		d: ({ async m() { return () => super.x } }).m })`, false)
	for i, name := range []string{"a", "b", "c", "d"} {
		kind, ours := l.kind(v.(*goja.Object).Get(name).(*goja.Object)), false
		for j := range l.async.kinds {
			ours = ours || kind == l.async.kinds[j].ours
		}
		if want := i < 3; ours != want {
			t.Errorf("%s: ours is %v, want %v", name, ours, want)
		}
	}
}
