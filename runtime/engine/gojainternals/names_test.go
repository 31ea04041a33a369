package gojainternals

import (
	"sync"
	"testing"

	"github.com/dop251/goja"
)

var nameSources = []string{
	everything + `const build = (i) => ({ a: i, b: i + 1, c: { d: [i], e() { return i } } }); const l = [0, 1,
		2, 3].map(build),
		[x, y, z, w] = l; delete x.b; x.b = "back"; y.extra = 1; z.c.d2 = 2; delete z.c;
		Object.defineProperty(w, "b", { get()
		{ return "got" } }); [l.map(all), l, build(9), Object.keys(build(8).c)]`,
	everything + `const r = [], build = () => ({ z: 1, a: 2 }); for (const change of [(o) => o[1] = 1, (o) =>
		o.b = 1, (o) =>
		delete o.z, (o) => delete o.a, (o) => Object.freeze(o), (o) => Object.seal(o), (o) =>
		Object.preventExtensions(o),
		(o) => Object.defineProperty(o, "q", { value: 1 }), (o) => Object.setPrototypeOf(o, null), (o) => {
		for (const k in o) {
		o["n" + k] = 1; delete o[k] } }, (o) => { for (const k in o) for (const j in o) o[j + k] = 1 }, (o) =>
		Object.assign(o,
		{ y: 1, a: 3 }), (o) => { o.a = o; o.x = 1; o.a = 4 }, (o) => Reflect.ownKeys(o).length, (o) => ({
		...o, b: 1, ...o }),
		(o) => { const { z, ...rest } = o; rest.n = 1; return rest }, (o) => Object.entries(o), (o) => {
		o["2"] = 1; o.c = 1;
		o["1"] = 1; delete o.a; o.a = 1 }, (o) => structuredLike(o), (o) => JSON.stringify(o)])
		for (const fresh of [build(), build(), { ...build() }, { ...build(), m: 1 }]) {
			try { const v = change(fresh); r.push(v === fresh ? "itself" : JSON.stringify(v)) } catch (e) {
			r.push(e.name) }
			const keys = []; for (const k in fresh) keys.push(k);
			r.push(all(fresh), keys, all(build())) } r`,
	`const r = []; class P { constructor(x) { this.x = x; this.y = 1; if (x > 1) this.z = 2; this.x = x +
		1 } set s(v) {
		r.push("set " + v) } get g() { return 1 } } class Q extends P { constructor(x) { super(x); this.q = x;
		this.s = 5;
		try { this.g = 1 } catch (e) { r.push(e.name) } } } for (const o of [new P(1), new P(2), new Q(1),
		new Q(3), new P(0)])
		r.push(Object.keys(o), JSON.stringify(o)); r`,
	`const r = []; Object.defineProperty(Object.prototype, "watched", { set(v) { r.push("set " + v) },
		configurable: true });
		const o = { a: 1 }; o.watched = 3; r.push(Object.keys(o), { watched: 4 }.watched);
		delete Object.prototype.watched;
		o.watched = 5; r.push(o.watched); Object.prototype.plain = 1; o.plain = 2; r.push(Object.keys(o), {}.plain);
		delete Object.prototype.plain; o.__proto__ = { deep: 1 }; o.deep = 2; r.push(Object.keys(o), o.deep);
		o.hasOwnProperty =
		1; o.toString = 2; r.push(Object.keys(o), Object.keys({ constructor: 1, __proto__: null,
		["__proto__"]: 2 })); r`,
	`"use strict"; const r = []; const t = (f) => { try { r.push(f()) } catch (e) { r.push(e.name) } };
		const f = Object.freeze({ a: 1 }), p = Object.create(f), g = { get a() { return 1 } }, n =
		Object.create(null);
		t(() => f.a = 2); t(() => f.b = 2); t(() => p.a = 2); t(() => p.b = 3); t(() => g.a = 2); t(() =>
		Object.create(g).a = 2);
		t(() => n.a = 1); t(() => n.b = n.a = 2); t(() => (5).a = 1); t(() => "x".a = 1); t(() => null.a = 1);
		t(() => undefined.a =
		1); t(() => Object.preventExtensions({}).a = 1); t(() => Object.defineProperty({}, "a", { value: 1 }).a = 1);
		t(() => Object.defineProperty({}, "a", { value: 1, writable: true }).a = 2); t(() => new Proxy({}, {
		set() { return false }
		}).a = 1); t(() => Object.create(new Proxy({}, { set(t, k, v, o) { r.push(k, v); return true } })).a =
		1); t(() => [].a = 1);
		t(() => (() => {}).a = 1); t(() => { const a = []; a.length = 3; return a.length }); t(() => {
		const d = new Date(0); d.x = 1;
		return Object.keys(d) }); t(() => { const m = new Map(); m.x = 1; return m.x }); t(() => globalThis.aa = 1);
		r.push(Object.keys(n), Object.keys(p)); r`,
	`5 .a = 1; const s = "text"; s.a = 1; [s.a, (function () { this.v = 1; return typeof this })() ]`,
	`const o = {}; for (let i = 0; i < 100; i++) o["k" + i] = i; const build = () => { const o = {}; o.a0 = 1;
		o.a1 = 1; o.a2 = 1;
		o.a3 = 1; o.a4 = 1; o.a5 = 1; o.a6 = 1; o.a7 = 1; o.a8 = 1; o.a9 = 1; return o }; const b = build(),
		c = build(); b.more = 1;
		delete c.a4; const d = build(); [Object.keys(b), Object.keys(c), Object.keys(d), Object.keys(o).length]`,
	`const add = (o) => { o.n = 1; return o }; [add({}), add({ a: 1 }), add({ b: 1 }), add({ a: 1, b: 1 }),
		add({ c: 1 }),
		add({ d: 1 }), add({ n: 5 }), add({}), add({ d: 1 })].map((o) => [Object.keys(o), JSON.stringify(o)])`,
	`const o = { a: 1, a: 2, b: 3, get a() { return 4 }, a: 5, b: 6 }; const p = { a: 1, get b() { return 2 },
		c: 3, b: 4 };
		[Object.keys(o), o.a, o.b, Object.keys(p), p.b, Object.keys({ "": 1, x: 2, "": 3 }), Object.keys({
		"ä": 1, ü: 2 })]`,
	`const o = { a: 1 }, w = { a: 2 }; let k = ""; for (const x in o) { for (const y in o) k += y; o.b = 1;
		k += x } for (const x in
		w) k += x; w.c = 1; for (const x in w) { delete w.a; k += x } [k, Object.keys(o), Object.keys(w),
		Object.keys({ a: 1 })]`,
}

// Objects that share the list of their names show the same as goja's own, before and after a change of one of them.
func TestSharedNames(t *testing.T) { showSame(t, nameSources) }

// Runtimes that run a program at the same time learn the same lists.
func TestSharedNamesOfManyRuntimes(t *testing.T) {
	l := layout(t)
	p, err := goja.Compile("", `const make = (i) => { const o = { a: i, b: { c: i } }; if (i % 2) o.d = 1;
		o.e = 2; o.b.f = 3;
		if (i % 3) delete o.a; const g = () => i; g.x = i; const a = [i]; a.y = 1; o.k = [Object.keys(g),
		Object.keys(a)];
		return o }; let last; for (let i = 0; i < 200; i++) last = make(i); JSON.stringify([last, make(6),
		Object.keys(make(7))])`,
		true)
	if err != nil {
		t.Fatal(err)
	}
	want, err := goja.New().RunProgram(p)
	if err != nil {
		t.Fatal(err)
	}
	l.Quicken(p)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if got, err := goja.New().RunProgram(p); err != nil || got.String() != want.String() {
				t.Errorf("%v %v\nwant %v", got, err, want)
			}
		})
	}
	all.Wait()
}
