package gojainternals

import "testing"

var objectTwinSources = []string{
	`const r = [], s = Symbol("s"); for (const o of [{}, { a: 1, b: [2] }, { b: 1, a: { c: 1 } }, { 1: "n",
		a: 2 }, { é: 1, a: 2 },
		{ get a() { return 5 }, b: 1 }, Object.defineProperty({ x: 1 }, "h", { value: 2 }), Object.create({
		p: 1 }), { [s]: 1, q: 2 },
		[7, 8], "text", 5, true, null, undefined, () => {}, new Map([[1, 2]]), new (class { x = 1; m() {} }),
		new Proxy({ a: 1 }, {}),
		Object.freeze({ f: 1 }), Object.create(null), { a: undefined, "": 1 }, new Date(0), new Error("e"), Math])
		for (const f of [Object.keys, Object.values, Object.entries]) try { const v = f(o);
		r.push(Array.isArray(v), v,
		Object.keys(v)); v.x = 1; r.push(Object.keys(v), Object.keys(f({ z: 1 }))) } catch (e) { r.push(e.name) }
		try { Object.keys() } catch (e) { r.push(e.name) } r`,
	`const o = { a: 1, b: 2 }; delete o.a; o.a = 3; o.c = 4; delete o.b; const e = Object.entries(o); e[0].y =
		1; e[0].push(5);
		[Object.keys(o), Object.values(o), e, Object.entries(o), Object.fromEntries(Object.entries(o)),
		Object.keys(o).map((k) => o[k]),
		Object.entries({ p: 1 }).flat(), Object.keys(o).sort().reverse().join(), Object.keys({ k: 1 })[0] + "x"]`,
	`const r = [], c = Object.create({ inherited: 1 }); c.own = 1; for (const o of [{ a: 1 }, c, [1], "ab",
		() => {}, new Map, 5,
		new Proxy({ a: 1 }, { getOwnPropertyDescriptor(t, k) { r.push("trap " + k) } }), Object.create(null),
		null, undefined])
		for (const k of ["a", "own", "inherited", "0", 0, "length", "name", "", "é", undefined, { toString() {
		return "a" } }, Symbol()])
		try { r.push(Object.prototype.hasOwnProperty.call(o, k)); if (o.hasOwnProperty) r.push(o.hasOwnProperty(k)) }
		catch (e) { r.push(e.name) } r`,
	`const r = [], t = (f) => { try { r.push(f()) } catch (e) { r.push(String(e)) } }; function f(...a) {
		"use strict";
		return [typeof this, this === undefined ? "none" : this, a] } function g(a, b) { return [this ===
		globalThis, typeof this, a, b,
		arguments.length] } const arrow = (...a) => a, o = { m() { return [this.x, arguments.length] } };
		class A { m() { return this.v }
		static s() { return this.n } } t(() => f.call()); t(() => f.call(1)); t(() => f.call(null, 2)); t(() =>
		f.call(1, 2, 3));
		t(() => g.call()); t(() => g.call(null)); t(() => g.call(5, 6)); t(() => g.call("s", 1, 2, 3)); t(() =>
		arrow.call(1, 2, 3));
		t(() => o.m.call({ x: 4 }, 5)); t(() => A.prototype.m.call({ v: 6 })); t(() => A.s.call({ n: 7 }));
		t(() => A.call({}));
		t(() => (class {}).call()); t(() => f.call.call(f, 1, 2)); t(() => Function.prototype.call.call(g, 1,
		2)); t(() => ({}).call);
		t(() => Function.prototype.call.call({}, 1)); t(() => Function.prototype.call.apply(f, [1, 2]));
		t(() => f.bind(9).call(1, 2));
		t(() => Math.max.call(null, 1, 2)); t(() => [].slice.call("abc", 1)); t(() => new Proxy(f, {}).call(1, 2));
		t(() => f.call(...[1, 2, 3])); t(() => (function n(k) { return k ? n.call(this,
		k - 1) : "end" }).call({}, 500));
		t(() => (() => { throw new TypeError("thrown") }).call()); t(() => (function () { return new.target ===
		undefined }).call({}));
		t(() => { const l = []; (function* () { l.push(yield 1) }).call().next(); return l }); t(() =>
		(function () { return [...arguments]
		.map(function (x) { return this.k + x }, this) }).call({ k: 1 }, 2, 3)); t(() => { function P(a) {
		this.a = a } function Q() {
		P.call(this, 5); this.b = 1 } return JSON.stringify(new Q) }); t(() => { try { f.call(1) } finally {
		g.call(2) } }); r`,
	`const r = [], t = (f) => { try { r.push(f()) } catch (e) { r.push(String(e)) } }; function f(...a) {
		"use strict"; return [typeof this, a.length, a] } function g(a, b) { return [this === globalThis, typeof this,
		a, b, arguments.length] } const arrow = (...a) => a, o = { m(k) { return [this.x, k] } }, s = Reflect.apply;
		for (const list of [[], [1], [1, 2, 3], [, 2], { length: 2, 0: "a" }, undefined, null, 5, "ab", new Set([1]),
		new Proxy([1, 2], {}), new Uint8Array([7]), Array(3), Array.from({ length: 300 }, (_, i) => i),
		Object.defineProperty([1], 0, { get() { return "got" } }), (function () { return arguments })(1, 2)]) {
		t(() => f.apply(1, list)); t(() => s(f, 1, list)); t(() => g.apply(undefined, list)); t(() => s(g, "s", list));
		t(() => arrow.apply(1, list)); t(() => s(arrow, 1, list)); t(() => s(Math.max, null, list));
		t(() => s(o.m, { x: 4 }, list)); t(() => s(f.bind(9), 1, list)); t(() => s(new Proxy(f, {}), 1, list)) }
		t(() => f.apply()); t(() => f.apply(1)); t(() => f.apply(1, [2], 3)); t(() => s(f)); t(() => s(f, 1));
		t(() => s(f, 1, [2], 3)); t(() => s()); t(() => s({}, 1, [])); t(() => f.apply.call({}, 1, []));
		t(() => s(class {}, 1, [])); t(() => f.apply.apply(f, [1, [2]])); t(() => s(s, 1, [f, 2, [3]]));
		t(() => (function n(k) { return k ? n.apply(this, [k - 1]) : "end" }).call({}, 500));
		t(() => (() => { throw new TypeError("thrown") }).apply(1, [2])); t(() => s(function () {
		return new.target === undefined }, 1, [])); t(() => { function P(a) { this.a = a } function Q() {
		P.apply(this, [5]); s(P, this, [6]); this.b = 1 } return JSON.stringify(new Q) });
		t(() => { const l = [1, 2]; f.apply(null, l).push(l); return l }); t(() => { const l = [1]; (function (a) {
		a = 5; l[0] = 6; r.push(a, arguments[0]) }).apply(null, l); return l });
		t(() => s(function* (a) { yield a }, 1, [2]).next().value);
		t(() => s((k) => new Error(k).message, 1, ["e"])); r`,
	`const r = [], s = Symbol("s"), targets = [() => ({}), () => ({ b: 0, z: 1 }), () => Object.create({ set a(v) {
		r.push("set " + v) } }), () => Object.freeze({}), () => Object.preventExtensions({ a: 5 }), () => [1],
		() => null, () => Object.create(null), () => Object.defineProperty({}, "a", { value: 1 }), () => ({ get a() {
		return 1 }, set a(v) { r.push("own " + v) } }), () => new (class A { b = 2; m() {} }), () => new Map,
		() => Object.create({ a: 1, b: 2 }), () => Object.create(Object.freeze({ a: 1 })), () => new Proxy({}, {
		set(t, k, v) { r.push("trap " + k); return Reflect.set(t, k, v) } }), () => (() => {})];
		const sources = () => [{ a: 1, b: 2 }, { b: 3, c: 4 }, {}, { toString: 7 }, { 2: 1, a: 9 }, { get a() {
		r.push("got"); return 8 } }, { [s]: 1, a: 1 }, Object.defineProperty({ a: 1 }, "h", { value: 2 }), "ab", 7,
		null,
		undefined, [8, 9], new (class { x = 1; get y() { return 2 } }), { ["__proto__"]: 1 }, { ["__proto__"]: null },
		Object.create({ inherited: 1 }), new Proxy({ a: 6 }, { get(t, k) { r.push("get " + String(k)); return t[k] } }),
		JSON.parse('{"a":1,"__proto__":5}'), { a: undefined }];
		for (const target of targets) for (const from of [...sources().map((x) => [x]), sources().slice(0, 3), [],
		[{ a: 1 },
		{ get b() { r.push("second"); return 1 } }, { c: 3 }], [{ c: 1 }, null, { c: 2 }], [{ a: 1 }, new Proxy({}, {
		ownKeys() { throw new TypeError("keys") } })]]) { const to = target(); try { const o = Object.assign(to,
		...from);
		r.push(o === to, o, Object(o) === o ? Reflect.ownKeys(o).map(String) : 0, o.a) } catch (e) { r.push(e.name,
		Object(to) === to ? Object.keys(to) : 0) } } const self = { a: 1 }; Object.assign(self, self); const copy =
		Object.assign({}, self, { d: 1 }); copy.a = 2; self.e = 3; const many = Object.assign({ q: 0 }, copy);
		delete copy.a; r.push(self, copy, many, Object.keys(Object.assign({ b: 1 }, { a: 1 }, { c: 1, b: 2 })));
		try { Object.assign() } catch (e) { r.push(e.name) } r`,
	`const r = []; for (const make of [() => [], () => [7, 8], () => [, 1], () => [undefined, null], () =>
		Object.assign([1], { x: 2 }), () => { const a = [1, 2]; a.length = 1; return a }, () =>
		Object.defineProperty([1, 2], 0, { get() { return "got" }, enumerable: true }), () =>
		Object.defineProperty([1, 2], 1, { enumerable: false, value: 3 }),
		() => Object.freeze([5]), () => new (class extends Array {})(3), () => "a1b".match(/(\d)/), () => /x/.exec("y"),
		() => Array.from({ length: 12 }, (_, i) => i), () => Object.defineProperty([4], "length", { writable: false }),
		() => { const a = []; a[5] = 1; return a }, () => { const a = [1]; a[-1] = 2; a[""] = 3; return a }, () =>
		new Proxy([1], { ownKeys(t) { r.push("keys"); return Reflect.ownKeys(t) } }), () => new Uint8Array(2)])
		for (const f of [Object.keys, Object.values, Object.entries]) { const o = make(), v = f(o); r.push(v, v.length);
		v.push(1); for (const e of v) if (Array.isArray(e)) e.push(2); r.push(v, f(o)) } r`,
	`const r = [], t = (f) => { try { r.push(f()) } catch (e) { r.push(e.name) } }, call = Function.prototype.call;
		for (const o of [{}, [1, 2], "text", 5, null, undefined, /x/, () => {}, new Date(0), new Map, Symbol("s"),
		new Proxy([], {}), Object.create(null), (function () { return arguments })(1), new Error("e"), true]) { t(() =>
		Object.prototype.toString.call(o)); t(() => [].slice.call(o)); t(() => [].push.call(o, 1)); t(() =>
		[].map.call(o, (x) => [x])); t(() => [].join.call(o, "-")); t(() => "".trim.call(o)); t(() => isNaN.call(o,
		"x"));
		t(() => [].concat.call(o, [3])); t(() => call.call(Object.prototype.toString, o)); t(() => call.call(call, o));
		t(() => Object.call(o)); t(() => Object.keys.call(o, o)); t(() => Map.call(o)); t(() => [].sort.call(o)) }
		t(() => [].push.call()); t(() => Math.max.call()); t(() => Math.max.call(null)); t(() => Math.max.call(1, 2,
		3));
		t(() => call.call.call((...a) => a, 1, 2)); t(() => [3, 1].sort.call([3, 1, 2], (a, b) => a - b));
		t(() => [].forEach.call([1], () => { throw new TypeError("thrown") })); t(() => [].map.call([1, 2],
		function (x) {
		return this.k + x }, { k: 1 })); t(() => [].reduce.call([], (a) => a)); t(() => (function n(k) { return k ?
		[].map.call([k - 1], n)[0] : "end" })(50)); t(() => { const bound = [].push.bind([1]); return bound.call(5,
		6) });
		t(() => Reflect.ownKeys.call(1, { a: 1 })); t(() => Array.isArray.call(null, []));
		t(() => Array.from.call(Object, [1])[0]); t(() => Array.of.call(function () { this.made = 1 }, 5).made);
		t(() => Error.call({}, "m").message); r`,
}

// Twins of what objects are asked do what goja does.
func TestObjectTwins(t *testing.T) { showSame(t, objectTwinSources) }
