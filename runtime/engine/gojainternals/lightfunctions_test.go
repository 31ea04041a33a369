package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// everything shows all that a script can see of a function's or an array's properties.
const everything = `const all = (o) => [Reflect.ownKeys(o).map(String), Object.keys(o), Object.isExtensible(o),
	Object.isFrozen(o), Reflect.ownKeys(o).map((k) => { const d = Object.getOwnPropertyDescriptor(o, k);
		return [typeof d.value === "object" ? "object" : d.value, d.writable, d.enumerable, d.configurable,
			typeof d.get] }), String(Object.getPrototypeOf(o) === Function.prototype), typeof o,
	(typeof o === "function" ? Function : Object).prototype.toString.call(o)];
	const make = (n) => { const l = []; for (let i = 0; i < n; i++) l.push(function f(a, b = 1) { return i },
		(a, ...b) => i, { m(x) { return i } }.m, { get g() { return i } }, function () {}, (() => () => i)());
		return l };
	`

var lightened = []string{
	everything + `make(2).map(all)`,
	everything + `const [f, g] = make(2).filter((f) => f.name === "f"); f.extra = 1; [all(f), all(g), f.extra,
		g.extra]`,
	everything + `const r = []; for (const change of [(f) => delete f.name, (f) => delete f.length, (f) => f.name = 1,
		(f) => { "use strict"; try { f.name = 1 } catch (e) { r.push(e.name) } },
		(f) => Object.defineProperty(f, "name", { value: "new" }), (f) => Object.defineProperty(f, "length", {
		value: 9 }),
		(f) => Object.defineProperty(f, "name", { get() { return "got" }, enumerable: true }), (f) =>
		Object.freeze(f),
		(f) => Object.preventExtensions(f), (f) => Object.setPrototypeOf(f, null), (f) => f[Symbol.iterator] = 1,
		(f) => f[0] = "zero", (f) => Object.assign(f, { a: 1, length: 2 }), (f) => f.prototype, (f) =>
		f.prototype = 5,
		(f) => delete f.prototype, (f) => Reflect.set(f, "x", 1), (f) => Reflect.set({}, "name", 1, f),
		(f) => Reflect.defineProperty(f, "prototype", { value: 3 }), (f) => { for (const k in f) r.push(k) }])
		for (const f of make(1)) { try { r.push(String(change(f))) } catch (e) { r.push(String(e)) }
			r.push(String.prototype.concat(JSON.stringify([Reflect.ownKeys(f).map(String), f.name, f.length,
				"name" in f, Object.hasOwn(f, "length"), f.hasOwnProperty("prototype")]))) }
		r.push(make(1).map(all)); r`,
	`function F(a) { this.a = a } F.prototype.get = function () { return this.a }; const G = function (a) {
		this.b = a };
		const o = new F(1), p = new G(2); [o.get(), o instanceof F, p instanceof G, p instanceof F,
		o.constructor === F,
		Object.keys(F.prototype), F.prototype.constructor === F, new (class extends F {})(3).a, Object.create(F).name,
		(() => { try { new (() => {}) } catch (e) { return e.name } })(), (() => { try { new ({
		m() {} }).m } catch (e) {
		return e.name } })(), (() => { try { o instanceof (() => {}) } catch (e) { return e.name } })()]`,
	`const f = function (a, b) { return [this === undefined ? "none" : this.x, a, b, new.target === undefined] };
		[f.call({ x: 1 }, 2), f.apply({ x: 3 }, [4, 5]), f.bind({ x: 6 }, 7)(8), f.bind({}, 1).length, f.bind().name,
		Reflect.construct(function () { this.t = new.target === f }, [], f).t]`,
	`const o = { x: 1, m() { return (() => [this.x, (() => this.x)(), arguments.length])() } }; [o.m(1, 2),
		(function () { return (() => new.target === undefined)() })(), new (function () { this.n = (() =>
		new.target !== undefined)() })().n]`,
	`class A { x() { return "A" } get y() { return 1 } static s() { return "s" } }
		class B extends A { x() { return (() => super.x() + "B")() } get y() { return (() => super.y + 1)() }
			static s() { return [1].map(() => super.s())[0] }
			constructor() { const f = () => super(); f(); this.z = (() => eval("super.x()"))() } }
		const o = { __proto__: { t() { return "t" } }, t() { return [1].map(() => (() => super.t())())[0] } };
		[new B().x(), new B().y, B.s(), new B().z, o.t()]`,
	`class A { #p = 1; m() { return (() => this.#p)() } static make() { return () => new A().#p } f = () => this.#p;
		g = function () { return this.#p } } const a = new A(); [a.m(), A.make()(), a.f(), a.g(), a.f.name,
		a.g.name]`,
	`const o = { f: () => {}, ["c" + 1]: () => {}, g: function () {}, get h() { return 1 }, set h(v) {}, *gen() {},
		async am() {} };
		let { d = () => {} } = {}; let e; e = () => {}; const y = Symbol("s"), q = { [y]: () => {}, [y + ""
		.length]: 1 };
		[o.f.name, o.c1.name, o.g.name, d.name, e.name, q[y].name, Object.getOwnPropertyDescriptor(o, "h").get.name,
		o.gen.name, o.am.name, (() => {}).name, (function () {}).name, new Function("a", "b", "").name]`,
	`const ä = () => {}, ö = function ÜÜ() {}; [ä.name, ö.name, ({ ñ() {} }).ñ.name]`,
	`const f = () => 1; f.valueOf = () => 5; const g = function () {}; g.toString = () => "g"; [f + 1, g + "",
		[f] + ""]`,
	`const r = []; function f() {} for (const g of [f, () => {}]) { const h = Object.create(g); h.x = 1; h.name2 = 2;
		try { "use strict"; h.name = "n" } catch (e) { r.push(e.name) }
		r.push(Object.keys(h), h.name, h.length, Object.hasOwn(h, "name")) } r`,
	`const s = new Set, m = new Map, w = new WeakMap; const f = () => {}; s.add(f); m.set(f, 1); w.set(f, 2); f.x = 1;
		[s.has(f), m.get(f), w.get(f), f === f, JSON.stringify({ f }), JSON.stringify([f])]`,
	`const f = function () { return typeof f }; [new Proxy(f, {})(), typeof new Proxy(f, {}), { ...f }, {
		...() => {} },
		Object.entries(f), Object.getOwnPropertyNames(() => {}), Object.getOwnPropertyNames(function () {})]`,
	`(async () => { const g = async () => { const h = () => arguments.length; return h() }; return g })() + "" +
		(function () { return (async () => () => this.v)() }).call({ v: 1 })`,
	`function* g() { const f = () => [this === undefined, 1]; yield f; yield f() } [...g(7)].length`,
	`const tag = (s, ...v) => s.raw.join() + v; [tag` + "`a${1}b${2}`" + `, ((...a) => a)(1, 2), ((a, ...b) =>
		[a, b])(1),
		(function (a, ...b) { b.x = 1; return [b.length, Object.keys(b)] })(1, 2, 3)]`,
	`const r = []; try { (() => { throw new Error("e") })() } catch (e) { r.push(e.stack.split("\n").length > 1) }
		function outer() { inner() } const inner = () => { throw new TypeError("t") }; try { outer() } catch (e) {
		r.push(e.stack.includes("outer"), e.stack.includes("inner")) } r`,
}

// Light functions show the same as goja's own, before and after a change of one of them.
func TestLightFunctions(t *testing.T) { showSame(t, lightened) }

// What changes one function does not change those that were made beside it, in another runtime neither.
func TestLightFunctionsAreApart(t *testing.T) {
	l := layout(t)
	p, err := goja.Compile("", `const make = () => [() => {}, function f() {}, { m() {} }.m]; const [a, b, c] =
		make();
		const before = make(); for (const f of [a, b, c]) { f.x = 1; Object.defineProperty(f, "name", {
		value: "other" });
			Object.defineProperty(f, "length", { value: 7 }) }
		JSON.stringify([before, make()].flat().map((f) => [f.name, f.length, f.x === undefined,
			Reflect.ownKeys(f)]))`, false)
	if err != nil {
		t.Fatal(err)
	}
	l.Quicken(p)
	const want = `[["",0,true,["length","name"]],["f",0,true,["prototype","length","name"]],` +
		`["m",0,true,["length","name"]],`
	for range 2 {
		rt := goja.New()
		v, err := rt.RunProgram(p)
		if err != nil || v.String() != want+want[1:len(want)-1]+"]" {
			t.Errorf("%v %v, want %s", v, err, want)
		}
	}
}
