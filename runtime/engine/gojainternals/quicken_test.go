package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// quickened are scripts of what Quicken changes, frequent cases and those that it must leave to goja.
var quickened = []string{
	// numbers
	`[1 + 2, 2000 - 1, 3 * 4, -5 * 0, 0 * -1, 1 / (0 * -3), 2 ** 53 - 1 + 2, -(2 ** 53) - 1, 1e9 * 1e9,
		67108864 * 67108864,
		-300 + 44, -256 - 1, 1023 + 1, 1.5 + 1, 1 - 0.5, "1" - 1, "a" + 1, 1 + "a", null + 1, undefined * 2, [] + 1]`,
	`let s = 0; for (let i = -300; i < 1400; i++) { s += i; if (i - 1 === i - 1) s -= 0 } s`,
	`try { 1n + 1 } catch (e) { String(e) }`, `1n * 3n + 2n`,
	`({ valueOf() { return 3 } }) * 2 + ({ valueOf() { return 4 } } < 5)`,
	// comparisons, as values and before each kind of jump
	`[1 < 2, 2 <= 2, 3 > 4, 4 >= 5, 1 === 1, 1 !== 1, 1 === 1.5, 0 === -0, NaN === NaN, "a" === "a", "1" === 1]`,
	`const f = (a, b) => [a < b && "and", a < b || "or", a < b ? "yes" : "no", !(a > b), a === b && 1, a !== b || 2];
		[f(1, 2), f(2, 1), f(1.5, 2), f("a", "b"), f(null, undefined), f(undefined, undefined), f(3, 3), f(NaN, 1)]`,
	`const o = {}, p = {}, q = Symbol(); [o === o, o === p, o !== p, o === null, null === null, undefined === null,
		null !== undefined, o !== undefined, q === q, q === o, 1n === 1n, o === 1, "x" === null]`,
	`let n = 0, i = 0; while (i < 5) { if (i === 3) { i++; continue } n += i; i++ } do { n-- } while (n > 3); [n, i]`,
	// texts
	`["abc".length, "äöü\u{1F600}".length, "".length, "abc".toUpperCase(), "ä".toUpperCase(), "abc"[1],
		"abc"["length"]]`,
	`const t = "a"; [t.nothing, t.constructor.name, t.__proto__ === String.prototype, "x".hasOwnProperty("length")]`,
	`Object.defineProperty(String.prototype, "own", { get() { "use strict"; return typeof this + this } });
		["q".own, "é".own]`,
	`Object.defineProperty(Object.prototype, "deep", { get() { return typeof this }, configurable: true }); "q".deep`,
	`String.prototype.grows = function (...a) { return a.length }; "a".grows(...Array(3000).keys())`,
	`try { "a".missing() } catch (e) { String(e) }`, `try { undefined.length } catch (e) { String(e) }`,
	`try { null.x } catch (e) { String(e) }`, `[1].length + new String("abc").length + (() => {}).length`,
	// elements
	`const a = [1, , 3]; Array.prototype[1] = "proto"; const r = [a[0], a[1], a[2], a[3], a[-1], a["0"], a[0.5]];
		delete Array.prototype[1]; r`,
	`const a = [1, 2]; Object.defineProperty(a, 0, { get() { return "got" } }); [a[0], a[1], Object.freeze([7])[0]]`,
	`const u = new Uint8Array([1, 2]); [u[0], u[2], "ab"[1], { 1: 2 }[1], (function () { return arguments[0] })(5)]`,
	`const a = [1]; a[5] = 6; [a[4], a[5], a.length]`,
	// for-of
	`const r = []; for (const x of [1, , 3]) r.push(x); r`,
	`const a = [1, 2], r = []; for (const x of a) { r.push(x); if (a.length < 5) a.push(x * 10) } r`,
	`const a = [1, 2, 3], r = []; for (const x of a) { r.push(x); a.pop() } r`,
	`const a = [1, 2, 3], r = []; for (const x of a) { r.push(x); a.length = 0; a[0] = 9 } r`,
	`const r = []; for (const x of Object.freeze([1, 2])) r.push(x); r`,
	`const r = []; for (const [i, x] of ["a", "b"].entries()) r.push(i + x); for (const k of [5, 6].keys())
		r.push(k); r`,
	`const r = []; for (const c of "a\u{1F600}b") r.push(c); for (const x of new Uint8Array([3, 4])) r.push(x); r`,
	`function* g() { try { yield 1; yield 2 } finally { r.push("end") } } const r = []; for (const x of g()) {
		r.push(x);
		break } r`,
	`const r = []; outer: for (const x of [1, 2]) for (const y of [3, 4]) { if (y === 4) continue outer;
		r.push(x * y) } r`,
	`const r = []; try { for (const x of [1, 2]) { r.push(x); throw "t" } } catch (e) { r.push(e) } r`,
	`const it = [1, 2, 3][Symbol.iterator](), r = []; for (const x of it) { r.push(x, it.next().value) }
		r.concat(it.next().done)`,
	`const r = []; for (const x of { [Symbol.iterator]() { return { next() { return { done: r.length > 1,
		value: 7 } } } } })
		r.push(x); r`,
	`const proto = Object.getPrototypeOf([][Symbol.iterator]()), next = proto.next, r = [];
		proto.next = function () { r.push("next"); return next.call(this) };
		for (const x of [1]) r.push(x); const [y, ...z] = [2, 3]; r.push(y, z, [...[4]], Math.max(...[5]));
		proto.next = next; r`,
	`const own = [1, 2]; own[Symbol.iterator] = function* () { yield "own" }; const [a, ...b] = own; [a, b, [...own],
		String(...own)]`,
	`const values = Array.prototype[Symbol.iterator]; Array.prototype[Symbol.iterator] = function* () { yield
		"proto" };
		const r = []; for (const x of [1]) r.push(x); r.push([...[1, 2]].length);
		Array.prototype[Symbol.iterator] = values; r`,
	`try { for (const x of 5); } catch (e) { String(e) }`, `try { [...{}] } catch (e) { String(e) }`,
	`try { Math.max(...undefined) } catch (e) { String(e) }`, `try { const [a] = null } catch (e) { String(e) }`,
	// Maps and Sets
	`const m = new Map([["a", 1], ["b", 2]]), r = []; for (const [k, v] of m) { r.push(k, v); if (k === "a") {
		m.delete("a");
		m.set("c", 3) } } r`,
	`const m = new Map([[1, 2], [3, 4]]), r = []; for (const k of m.keys()) r.push(k); for (const v of
		m.values()) r.push(v);
		for (const e of m.entries()) r.push(e); r.concat([...m].flat(), Math.max(...m.values()))`,
	`const s = new Set([1, 2, 3]), r = []; for (const x of s) { r.push(x); s.delete(x); if (x === 1) s.add(4);
		if (x === 4)
		s.clear() } for (const e of new Set([5]).entries()) r.push(e); r`,
	`const s = new Set([1, 2]), it = s[Symbol.iterator](), r = []; for (const x of it) { if (r.push(x) > 3)
		break; s.clear();
		s.add(8) }
		r.concat(it.next().done)`,
	`const [[k, v], second = "none"] = new Map([["a", 1]]); const [x, ...rest] = new Set([1, 2, 3]); [k, v,
		second, x, rest]`,
	`const p = Object.getPrototypeOf(new Map().entries()), next = p.next; p.next = () => ({ done: true });
		const r = [...new Map([[1, 2]])]; p.next = next; r`,
	// patterns and spread
	`const [a, , b = 5, ...c] = [1, 2, undefined, 4, 5]; const [d, e] = [1]; const [...f] = []; [a, b, c, d, e, f]`,
	`const [a, ...b] = [1, , 3]; const c = [0, ...[1, , 3], ...new Set([4]), ..."xy", ...[]]; [b, 0 in b, c, 2
		in c, c.length]`,
	`const f = (...a) => a.length, a = [1, 2, 3]; [f(...a, 0, ...a), f(...[]), f(...[, ,]), new Array(...a).length,
		Math.max(...a, ...Object.freeze([9]))]`,
	`const a = [1, 2]; a.push(...a); const b = [...a]; b[0] = 7; [a, b, a === b]`,
	`let [x, y] = [1, 2]; [x, y] = [y, x]; [x, y]`, `const f = ([a, b] = [1, 2], ...[c]) => a + b + c;
		f(undefined, 3)`,
	`const o = { a: 1, b: [2], c: undefined }; const { a, ...r } = o; const { ...all } = o; const { x = 5,
		["b"]: y, ...z } = o;
		[r, all, all === o, z, { ...o }, { ...o, a: 3 }, { a: 0, ...o, d: 4, ...r }, Object.keys({ c: 1, ...o })]`,
	`const o = { b: 1, 2: "two", 1: "one", a: 3 }; [Object.keys({ ...o }), Object.entries({ 0: 1, ...{ z: 1 }
		}), { ..."hi" },
		{ ...[7, 8] }, { ...null, ...undefined, ...5 }]`,
	`const s = Symbol("s"), o = { a: 1, [s]: 2 }; const { a, ...r } = o; [r[s], { ...o }[s], { ...{ __proto__: {
		x: 1 } } }.x]`,
	`const r = [], o = { get a() { r.push("get"); return 1 }, b: 2 }; r.push({ ...o }, { get b() { return 9 }, ...o },
		Object.getOwnPropertyDescriptor({ get b() { return 9 }, ...{ b: 1 } }, "b")); r`,
	`const o = Object.defineProperty({ a: 1 }, "hidden", { value: 2 }); [{ ...o }, { ...Object.freeze({ q: 1 }) },
		Object.isFrozen({ ...Object.freeze({ q: 1 }) })]`,
	`const o = { a: 1, b: 2 }, r = []; for (const k in o) { const c = { ...o, k }; c.e = k; o["n" + k] = 1;
		r.push(k, c) } r`,
	`const o = {}; for (let i = 0; i < 40; i++) o["k" + i] = i; const c = { ...o }; delete c.k3; c.k40 = 1;
		const d = { ...c };
		[Object.keys(d), Object.keys(o).length, { ...class { static s = 1 } }, { ...new Map([[1, 2]]) }]`,
	`const p = new Proxy({ a: 1 }, { ownKeys() { return ["a", "b"] }, getOwnPropertyDescriptor() { return { value: 1,
		enumerable: true, configurable: true } } }); const { a, ...r } = p; [{ ...p }, r]`,
	`function f({ a, ...r }, { ...s } = { t: 1 }) { return [a, r, s] } [f({ a: 1, b: 2 }), f({ "": 1, length: 2
		}, { ok: 1 })]`,
	`const o = {}; [o.a, o["b"]] = [1, 2]; const { length, ...others } = [7, 8]; [o, length, others]`,
	`function* g() { const [a, b] = yield; yield [...arguments, a, ...b] } const it = g(1, 2); it.next();
		it.next([3, [4]]).value`,
	`Math.max(...Array(5000).keys()) + ((...a) => a.length)(...Array(70000).fill(1))`,
	`const r = [], n = [0, -0, 1, -1, 0.5, -0.5, NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53), 2 ** 53 + 2, 1e300,
		"1", "a", true, null, undefined, 3n];
		for (const a of n) for (const b of n) {
			for (const f of [() => a + b, () => a - b, () => a * b, () => a < b, () => a <= b, () => a > b,
			() => a >= b,
				() => a === b, () => a !== b, () => { if (a < b) return 1; if (a === b) return 2;
			if (a !== b) return 3 }])
				try { r.push(f()) } catch (e) { r.push(e.name) }
			if (a) r.push("y"); if (!b) r.push("n"); r.push(a ? 1 : 2, a || b, a && b) } r`,
	`function f(a, b, c) { const x = c, y = a < b; if (c) return 1; if (y) return [a - b, x,
			c === undefined, b.p]; return a }
		[f(2, 1), f(1, 2), f(1, 2, 3), f(1), f()]`,
	`const r = []; const t = (f) => { try { r.push(f()) } catch (e) { r.push(String(e)) } };
		t(() => { const f = () => late.x; const y = f(); let late = 1; return y });
		t(() => { const f = () => late + 1; const y = f(); let late = 1; return y });
		t(() => { if (late < 1) return 1; let late = 1 });
		t(() => { if (late) return 1; let late = 1 });
		t((a, i) => a[i]); t(() => { let a; return a.b }); t(() => { let a = null; return a.b() });
		t(() => { const a = {}; return a.b() }); t(() => { const a = { b: 1 }; return a.b() });
		t(() => { const a = Object.create(null); return [a.x, "x" in a, a.y === undefined] });
		t(() => { const a = { get b() { throw Error("no") } }; return a.b });
		t(() => { class A { constructor() { this.a = 1 } } class B extends A {
			constructor() { const t = () => this.a; t() } }
			return new B });
		t(() => { class A { constructor() { this.a = 1 } m() { return this.a + A.s } get g() { return this.m() }
			static s = 2 } class B extends A { constructor() { const t = () => this.a; super(); this.b = t() }
			m() { return super.m() * 2 } } const b = new B; return [b.g, b.b, b.m(), b.none,
			b.toString === {}.toString] });
		r`,
	`const r = [], proto = { a: 1, get b() { return this.c }, set d(v) {} }, o = Object.create(proto); o.c = 4;
		for (let i = 0; i < 3; i++) { r.push(o.a, o.b, o.d, o.c, o.hasOwnProperty("a")); proto.a = i;
			if (i === 1) Object.defineProperty(o, "a", { value: "own", configurable: true }); if (i === 2) delete o.a }
		r.push(o.a, new Proxy({}, { get: (t, k) => k }).name, [1, 2].length, (() => {}).length,
			new Date(0).getTime()); r`,
	`const a = [1, , 3], r = [], at = ["0", 1, 2, 3, -1, "length", 1.5]; for (const i of at) r.push(a[i]); r`,
	`var s = 0; for (var i = 0; i < 5; i++) { let j = i; const f = () => j + i; if (f() > 3) s += f() - j;
			s = s + j * i } s`,
}

// A quickened program shows the same as goja's own.
func TestQuicken(t *testing.T) { showSame(t, quickened) }

// showSame runs scripts as goja compiles them, and quickened.
func showSame(t *testing.T, sources []string) {
	t.Helper()
	for _, source := range sources {
		show := func(quick bool) string {
			l, rt := layout(t), goja.New()
			p, err := goja.Compile("", source, false)
			if err != nil {
				t.Fatalf("%s: %v", source, err)
			}
			if quick {
				l.Quicken(p)
				l.Twins(rt)
				ready(t, l, rt)
			}
			v, err := rt.RunProgram(p)
			if err != nil {
				return err.Error()
			}
			render, _ := goja.AssertFunction(object(t, rt, `((v) => JSON.stringify(v, (k, x) => x === undefined ?
		"undefined" :
				typeof x === "bigint" ? x + "n" : typeof x === "number" ? (Object.is(x, -0) ? "-0" : String(x)) :
		typeof x === "symbol" ? String(x) : x))`))
			if v, err = render(goja.Undefined(), v); err != nil {
				t.Fatalf("%s: %v", source, err)
			}
			return v.String()
		}
		if got, want := show(true), show(false); got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
}

// ready gives a runtime what one of eddy's has: a machine with finds, and an Object.prototype that polls.
func ready(t testing.TB, l *Layout, rt *goja.Runtime) {
	t.Helper()
	if _, err := NewMachine(rt); err != nil {
		t.Fatal(err)
	}
	if !l.PollAt(object(t, rt, "Object.prototype")) {
		t.Fatal("Object.prototype does not poll")
	}
}

// runQuickened is what a program gives that was quickened.
func runQuickened(t testing.TB, l *Layout, rt *goja.Runtime, source string, strict bool) goja.Value {
	t.Helper()
	p, err := goja.Compile("", source, strict)
	if err != nil {
		t.Fatal(err)
	}
	l.Quicken(p)
	v, err := rt.RunProgram(p)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// BenchmarkQuicken runs what Quicken is for, as goja compiles it and quickened.
func BenchmarkQuicken(b *testing.B) {
	for _, c := range []struct{ name, source string }{
		{"count", `let s = 0; for (let i = 0; i < 1000; i++) { if (i % 3 === 0) s += i } s`},
		{"for-of", `let s = 0; for (const x of list) s += x; s`},
		{"map", `let s = 0; for (const [k, v] of map) s += v; s`},
		{"pattern", `let s = 0; for (let i = 0; i < 100; i++) { const [a, ...b] = four; s += a + b.length } s`},
		{"spread", `let s = 0; for (let i = 0; i < 100; i++) s += [...four, ...four].length; s`},
		{"arguments", `let s = 0; for (let i = 0; i < 100; i++) s += Math.max(...four); s`},
		{"text", `let s = 0; for (let i = 0; i < text.length; i++) s += text.charCodeAt(i); s`},
		{"copy", `let s = 0; for (let i = 0; i < 100; i++) s += { ...props, a: i }.a; s`},
		{"rest", `let s = 0; for (let i = 0; i < 100; i++) { const { a, ...b } = props; s += a } s`},
		{"elements", `let s = 0; for (let i = 0; i < list.length; i++) s += list[i]; s`},
	} {
		for _, quick := range []string{"goja", "quick"} {
			b.Run(c.name+"/"+quick, func(b *testing.B) {
				l, rt := layout(b), goja.New()
				if _, err := rt.RunString(`const list = Array.from({ length: 200 }, (_, i) => i), four = [1, 2, 3, 4],
		props = { a: 1, b: 2, c: "3", d: null },
					map = new Map(list.map((x) => ["k" + x, x])), text = "some text ".repeat(20)`); err != nil {
					b.Fatal(err)
				}
				timed(b, l, rt, "(function () {"+c.source+"; return s})", quick == "quick")
			})
		}
	}
}

// timed measures calls of the function that a source gives.
func timed(b *testing.B, l *Layout, rt *goja.Runtime, source string, quick bool) {
	b.Helper()
	p, err := goja.Compile("", source, true)
	if err != nil {
		b.Fatal(err)
	}
	if quick {
		l.Quicken(p)
	}
	v, err := rt.RunProgram(p)
	if err != nil {
		b.Fatal(err)
	}
	f, _ := goja.AssertFunction(v)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f(goja.Undefined()); err != nil {
			b.Fatal(err)
		}
	}
}
