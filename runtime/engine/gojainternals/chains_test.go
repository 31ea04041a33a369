package gojainternals

import (
	"testing"
	"unsafe"
)

var chainSources = []string{
	`const r = [], t = (f) => { try { const v = f(); r.push(typeof v === "function" ? "function " +
		v.name : v) } catch (e) {
		r.push(String(e)) } }; class A { static s = 1; static m() { return this.s } m() { return 2 } get g() {
		return this.x }
		static get h() { return this.s + 1 } } class B extends A { static s = 5 } const b = new B; b.x = 7;
		const f = function (a) {}, a = (x, y) => x, list = [1, 2], map = new Map([["k", 1]]), set =
		new Set([1]), bound = f.bind(null);
		for (const o of [A, B, b, f, a, list, map, set, bound, [].push, Map, Math, Object, Object.prototype,
		Array.prototype,
			Function.prototype, new Error("e"), new Date(0), /x/g, "text", 5, true, Symbol.iterator, new String("s"),
			new Uint8Array(2), new Proxy({ s: 3 }, {}), Object.create(null), Object.create([1]),
			Object.create(f), new WeakMap,
			Promise.resolve(), (function () { return arguments })(1), globalThis, JSON, null,
			undefined]) for (const k of ["s", "m",
			"g", "h", "x", "length", "name", "prototype", "constructor", "size", "get", "has", "toString",
			"call", "map", "push",
			"none", "message", "source", "lastIndex", "0", "1", "-1", "max", "__proto__", "hasOwnProperty",
			"k", "description",
			"byteLength", "then", "callee"]) {
			if (o === globalThis && k !== "none" || k === "__proto__" && typeof o !== "object") continue;
			t(() => { const v = o[k]; return typeof v === "object" ? Object.prototype.toString.call(v) : v }) }
		t(() => [A.s, B.s, A.m(), B.m(), b.m(), b.g, A.h, B.h, f.length, a.length, f.name, a.name, bound.name,
		list.length,
			map.size, set.size, typeof f.prototype, a.prototype, typeof f.call, list.push.length, map.get("k"),
			[].none,
			Map.prototype.size === undefined]); r`,
	`const r = [], list = [1, 2], f = () => {}, map = new Map; for (const [p, o] of [[Array.prototype, list],
		[Function.prototype, f], [Map.prototype, map], [Object.prototype, list], [Object.prototype, f],
		[String.prototype, "s"]]) {
		r.push(o.added); p.added = 1; r.push(o.added, o["added"]); Object.defineProperty(p, "added", { get() {
		"use strict";
		return [typeof this, this === o] }, configurable: true }); r.push(o.added, o["added"]); delete p.added;
		r.push(o.added) }
		const push = Array.prototype.push; Array.prototype.push = function (x) { return "mine " + x };
		r[r.length] = list.push(5);
		delete Array.prototype.push; try { list.push(1) } catch (e) { r[r.length] =
		e.name } Array.prototype.push = push;
		list.push(9); r.push(list); const old = Array.prototype.map; list.map = 1; r.push(list.map, [].map ===
		old); list.length =
		1; r.push(list.length); r`,
	`const r = [], o = { a: 1, get b() { return this.a + 1 }, 5: "five" }, k = ["a", "b", "5", 5, "none",
		"toString", "", "length"];
		for (const x of k) r.push(typeof o[x] === "function" ? "f" : o[x]); const c = Object.create(o);
		for (const x of k)
		r.push(typeof c[x] === "function" ? "f" : c[x]); const n = Object.create(null); n.q = 1; r.push(n["q"],
		n["w"], n.w);
		for (const x of ["push", "length", "0", "x"]) r.push(typeof [7][x], typeof "s"[x]);
		Object.setPrototypeOf(c, null);
		r.push(c["a"], c.a); const d = Object.create(new Proxy({}, { get: (t, k, v) => v === d ? "d." +
		String(k) : "other" }));
		r.push(d.z, d["y"]); r`,
	`const r = [], p = Object.getPrototypeOf(Uint8Array.prototype), a = new Uint8Array([5, 6]), c = Object.create(a),
		s = new (class S extends Float64Array { get twice() { return this.length * 2 } })(3), b = new Int8Array(1);
		b.own = 7; Object.defineProperty(b, "length", { value: 9 }); const names = ["Infinity", "NaN", "none", "own",
		"length", "byteLength", "twice", "constructor", "BYTES_PER_ELEMENT", "added", "infinity"];
		const all = () => { for (const o of [a, b, c, s]) { for (const k of names) { let v; try { v = o[k] } catch (e) {
		v = e.name } r.push(typeof v === "function" ? v.name : v) } for (let i = 0; i < 20; i++) { let v; try {
		v = [o.NaN, o.Infinity, o.length, o.byteLength, o.own, o.added, o.none, typeof o.subarray] } catch (e) {
		v = e.name } if (i % 9 === 0) r.push(v) } r.push(o["-0"], o["-1"], o["1"], o["1.5"], o["+1"]) } };
		all(); p.added = 1; p.NaN = 2; p["-1"] = 5; Object.prototype.none = 3; all(); delete p.added;
		Object.defineProperty(p, "length", { get() { return -1 }, configurable: true }); all();
		delete p.length; delete Object.prototype.none; Object.setPrototypeOf(a, { none: 8 }); all();
		Object.setPrototypeOf(a, null); all(); r`,
	`const grow = { get deep() { const f = (n) => n ? f(n - 1) + 1 : 0; return f(300) } }, r = [];
		for (const k of ["deep", "none"])
		r.push(grow[k], [grow][0][k]); r`,
	`const r = [], bytes = new Uint8Array([7, 8]), view = new DataView(bytes.buffer), names = ["length", "byteLength",
		"byteOffset", "NaN", "Infinity", "-Infinity", "-0", "-1", "1.5", "1e3", "01", "+1", "Information",
		"Nothing", "",
		"0", "1", "2", "set", "none", "constructor", "BYTES_PER_ELEMENT", "lastIndex", "then", "source", "getTime"];
		const Typed = Object.getPrototypeOf(Uint8Array.prototype);
		const look = () => { for (const o of [bytes, view, bytes.buffer, /x/g, new Date(0), Promise.resolve(),
			new (class extends Uint8Array {})(3), bytes.subarray(1), new BigInt64Array(1)]) for (const k of names) {
			const v = o[k]; r.push(typeof v === "function" ? v.name : v) }
			r.push(bytes.length, bytes.NaN, bytes.Infinity,
			bytes.none, view.length, bytes.buffer.byteLength, /x/.lastIndex, /x/y.sticky, bytes.Nothing) };
		look(); Typed.NaN = 1; Typed.Nothing = 2; Object.prototype.Infinity = 3; Object.prototype.none = 4;
		bytes.own = 5;
		Uint8Array.prototype["1.5"] = 6; bytes["1.5"] = 7; look(); r.push(bytes.own);
		const length = Object.getOwnPropertyDescriptor(Typed, "length");
		Object.defineProperty(Typed, "length", { get() { return "mine" }, configurable: true }); look();
		Object.defineProperty(Typed, "length", length); Object.defineProperty(bytes, "length", { value: 9 }); look();
		delete Object.prototype.none; delete Object.prototype.Infinity; Object.setPrototypeOf(bytes, null); look();
		RegExp.prototype.none = 1; Promise.prototype.none = 2; look(); const x = /y/g; x.lastIndex = 4;
		r.push(x.lastIndex);
		r.map(String)`,
}

// keptSources change what RegExp.prototype has, which is watched.
var keptSources = []string{
	`const r = [], proto = RegExp.prototype, exec = proto.exec, look = () => { for (let i = 0; i < 12; i++) {
		const x = /(a)b/g, v = [x.exec("cab"), x.lastIndex, x.test("ab"), "abab".replace(x, "-"), x.none, x.added,
		"xabx".split(x), x.toString(), x.flags, typeof x.compile, "ab".match(/b/).index];
		if (i % 11 === 0) r.push(v) } };
		look(); proto.added = 1; look(); proto.none = 2; delete proto.added; look();
		Object.defineProperty(proto, "added", { get() { return this.source + "!" }, configurable: true }); look();
		proto.exec = function (s) { r.push("mine"); return exec.call(this, s) }; look(); proto.exec = exec; look();
		delete proto.exec; let failed = 0; try { /x/.exec("x") }
		catch (e) { failed = e.name } r.push(failed); proto.exec = exec; look(); Object.setPrototypeOf(proto,
		{ added: 5 });
		look(); const own = /q/; own.exec = () => ["own"]; own.x = 1; r.push(own.test("z"), own.exec(), own.x);
		proto.test = () => "changed"; r.push(/x/.test("y")); r`,
	`const r = []; class Own extends RegExp { exec(s) { r.push("exec " + s); return super.exec(s) } }
		for (let i = 0; i < 12; i++)
		r.push(new Own("b").test("abc"), "abc".replace(new Own("b"), "-"), new Own("b").exec("b"));
		RegExp.prototype.later = 1; r.push(new Own("b").later, /x/.later); r`,
}

// Prototypes of regular expressions are watched as others are.
func TestRegExpPrototype(t *testing.T) { showSame(t, keptSources) }

// Whichever addresses the kinds of objects have, each is found: also those of the functions that have twins.
func TestKeepersFindAll(t *testing.T) {
	l := layout(t)
	kinds := map[unsafe.Pointer]keeping{l.arrays.light: keepsNames, l.arrays.kind: keepsNames, l.states.kind: keepsAll,
		l.twins.native: keepsAll, l.regexps.kind: keepsAll, l.regexps.guarded: keepsAll, l.regexps.watched: keepsAll}
	for i, table := range l.twins.tables {
		if kinds[unsafe.Pointer(&table[0])] = keepsAll; twins[i].owner == "Object.prototype" {
			kinds[unsafe.Pointer(&table[0])] = keepsCalled
		}
	}
	for i := range lightFunctions {
		f := &lightFunctions[i]
		kinds[f.native], kinds[unsafe.Pointer(&f.table[0])] = keepsAll, keepsAll
		if i == lightFunction {
			kinds[f.native], kinds[unsafe.Pointer(&f.table[0])] = keepsFunction, keepsFunction
		}
	}
	for _, w := range watched {
		kinds[w.kind()] = l.keepers.of(w.native)
	}
	for kind, want := range kinds {
		if got := l.keepers.of(kind); got != want || got == keepsElsewhere {
			t.Errorf("a kind keeps %d, want %d", got, want)
		}
	}
	taken := 0
	for _, e := range l.keepers {
		if e.kind != nil {
			taken++
		}
	}
	if taken > len(l.keepers)/2 {
		t.Errorf("%d of %d places are taken", taken, len(l.keepers))
	}
	// kinds whose places are the same lie behind each other
	var k keepers
	for i := range uintptr(len(k) / 2) {
		k.add(unsafe.Pointer(&kindsAtHand[i]), keeping(1+i%5))
	}
	for i := range uintptr(len(k) / 2) {
		if got := k.of(unsafe.Pointer(&kindsAtHand[i])); got != keeping(1+i%5) {
			t.Errorf("kind %d of many keeps %d", i, got)
		}
	}
}

// kindsAtHand are addresses that stand for kinds.
var kindsAtHand [256]byte

// A look along the maps of objects finds what goja finds.
func TestChains(t *testing.T) { showSame(t, chainSources) }
