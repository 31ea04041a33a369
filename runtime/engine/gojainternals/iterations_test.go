package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// What goes over arrays shows the same as goja's own, whatever scripts have made of how arrays are gone through.
func TestIterations(t *testing.T) {
	const before = `const array = Array.prototype, proto = Object.getPrototypeOf([][Symbol.iterator]());
		const next = proto.next, iterate = array[Symbol.iterator], r = [];
		const over = (a) => { const s = []; for (const x of a) s.push(x); const [p, q, ...z] = a; const [f] = a;
			return [s, p, q, z, f, [...a, 0, ...a], ((...y) => y)(...a, 1, ...a)] };
		const after = () => { array[Symbol.iterator] = iterate; proto.next = next; delete proto.return };
		over([1, 2]); over([1, 2]); r.push(over([3, , 5]));
		`
	showSame(t, []string{
		before + `proto.next = function () { r.push("next"); return next.call(this) }; r.push(over([1, 2]));
			after(); r`,
		before + `proto.next = () => ({ done: true }); r.push(over([1, 2])); after(); r.push(over([1, 2])); r`,
		before + `Object.defineProperty(proto, "next", { configurable: true, get() { r.push("got"); return next } });
			r.push(over([1, 2])); r`,
		before + `proto.next = () => 5; try { for (const x of [1]); } catch (e) { r.push(e.name) } after(); r`,
		before + `array[Symbol.iterator] = function* () { yield 7; yield 8 }; r.push(over([1, 2])); after(); r`,
		before + `Object.defineProperty(array, Symbol.iterator, { configurable: true, get() { r.push("got");
			return iterate } }); r.push(over([1, 2])); r`,
		before + `const a = [1, 2]; a[Symbol.iterator] = function* () { yield "own" }; r.push(over(a)); r`,
		before + `const a = [1, 2]; Object.setPrototypeOf(a, { [Symbol.iterator]: function* () { yield "theirs" } });
			r.push([...a]); for (const x of a) r.push(x); r`,
		before + `class Sub extends Array { *[Symbol.iterator]() { yield "sub"; yield* super[Symbol.iterator]() } }
			r.push(over(new Sub(1, 2, 3))); r`,
		before + `proto.return = function () { r.push("return", Object.keys(this)); this.mine = 1; return {} };
			for (const x of [1, 2]) { r.push(x); break } const [f] = [1, 2]; try { for (const x of [1]) throw 5 }
			catch (e) { r.push(e) } after(); r`,
		before + `Object.prototype.return = function () { r.push(this.toString()); return {} };
			for (const x of [1, 2]) break; delete Object.prototype.return; r`,
		before + `const a = Object.defineProperty([1, 2, 3], 1, { get() { r.push("got"); a.length = 1; return "g" } });
			for (const x of a) r.push(x); r`,
		before + `const a = [1, 2, 3]; for (const x of a) { r.push(x); a.length = 0 } a.push(4, 5);
			for (const x of a) { r.push(x); if (a.length < 4) a.push(x) } r`,
		before + `const a = [1, 2, 3]; for (const x of a) for (const y of a) { if (y === 2) break; r.push(x, y) } r`,
		before + `const a = ["a", , "c"]; for (const [i, x] of a.entries()) r.push(i, x); r.push([...a.keys()]);
			for (const k of a.keys()) { if (k === 1) a.push(1); r.push(k); if (k > 4) break } r`,
		before + `for (const e of ["x"].entries()) { e.push(1); r.push(e, Array.isArray(e)) }
			const it = ["p", "q"].entries();
			for (const e of it) { r.push(e); break } r.push(it.next()); r`,
		before + `for (const [i, x] of Object.freeze(["x", "y"]).entries()) r.push(i, x); r`,
		before + `const m = "xaab".match(/(a)(a)/); r.push(over(m), over("a,b".split(","))); r`,
		before + `function f() { return over(arguments) } r.push(f(1, 2)); r.push(over(new Uint8Array([4, 5]))); r`,
		before + `function* g() { for (const x of [1, 2]) yield x; const [a, b] = yield* [3]; } r.push([...g()]); r`,
		before + `const it = [1, 2, 3][Symbol.iterator](); for (const x of it) { r.push(x); break } r.push([...it]); r`,
		before + `const p = new Promise(() => {}); for (const x of [p]) r.push(x === p);
			for (const [k, { v = 2 }] of [["a", {}], ["b", { v: 1 }]]) r.push(k, v); r`,
	})
}

// What is put under computed keys shows the same as with goja's own.
func TestElementSets(t *testing.T) {
	const put = `const r = [], put = (o, k, v) => { "use strict"; try { const x = (o[k] = v); o[k] = x; r.push(x) }
		catch (e) { r.push(e.name) } r.push(o) };
		`
	const tell = `; r.map((o) => o instanceof Object ? [Object.entries(o), o.length, Object.isFrozen(o),
		Object.getOwnPropertyNames(o)] : o)`
	showSame(t, []string{
		put + `for (const k of [0, 1, 2, 5, -1, 1.5, "0", "1", "length", "x", "__proto__", 4294967295]) {
			put([1], k, 2); put({ a: 1, x: 2 }, k, 2); put(Object.create(null), k, 2);
			put(new Array(3), k, 2) }` + tell,
		put + `for (const o of [Object.freeze([1]), Object.seal([1]), Object.preventExtensions([1]),
			Object.freeze({ x: 1 }), Object.seal({ x: 1 }), Object.preventExtensions({ x: 1 })])
			for (const k of [0, 1, "x", "y"]) put(o, k, 2)` + tell,
		put + `const a = Object.defineProperty([1, 2], 0, { set(v) { r.push("set", v) }, configurable: true });
			put(a, 0, 5);
			const b = Object.defineProperty([1, 2], "length", { writable: false }); put(b, 2, 3); put(b, 1, 4)` + tell,
		put + `let text = ""; r[0] = r[1] = 0; Object.defineProperty(Array.prototype, 1, {
			set(v) { text += v }, configurable: true });
			put([1], 1, 2); put([1, ,], 1, 2); put([1, 2], 1, 3); delete Array.prototype[1];
			put([1], 1, 2);
			r.push(text)` + tell,
		put + `Object.defineProperty(Object.prototype, "q", { set(v) { r.push("proto", v) }, configurable: true });
			put({}, "q", 1); put({ p: 1 }, "q", 1); put({ q: 1 }, "q", 2); delete Object.prototype.q;
			put({}, "q", 1)` + tell,
		put + `const p = Object.create({ x: 1, get y() { return 2 } }); put(p, "x", 3); put(p, "y", 4);
			const w = Object.defineProperty({}, "x", { value: 1 }); put(w, "x", 2); put(Object.create(w), "x", 2);
			put(Object.defineProperty({}, "x", { value: 1, writable: true }), "x", 9)` + tell,
		put + `class A { static s = 1; m() {} } put(A, "s", 2); put(A.prototype, "m", 3); put(new A, "m", 4);
			put(A.prototype, "n", 5); r.push(new A().n); put(new Proxy({}, { set(t, k, v) { r.push(k); return true } }),
			"k", 1); put(new Uint8Array(2), 0, 300); put(Object("s"), 0, 1)` + tell,
		put + `put(null, "a", 1); r.pop(); r.push(5); const o = {}; for (let i = 0; i < 30; i++) o["k" + i] = i;
			const c = { ...o }; c["z" + 1] = 1; delete o["k" + 3]; o["k" + 3] = 1; for (const k in o) if (k === "k5")
			o["late"] = 1; r.push(o, c)` + tell,
		put + `const a = []; for (let i = 0; i < 5000; i++) a[i] = i; r.push(a.length, a[4999]); a[6000] = 1;
			r.push(a.length, 5500 in a)`,
		put + `const has = (a) => r.push(a.length, 0 in a, 1 in a, 2 in a, 3 in a, a.push(9), a.indexOf(7), [...a]);
			for (const make of [() => Array(3), () => [, 1], () => [1, , 3], () => [, , ,], () => Array(100),
			() => Array(5000), () => { const a = [1, 2]; a.length = 4; return a }, () => { const a = [1, 2, 3];
			delete a[1]; return a }, () => new (class extends Array {})(3), () => Object.freeze(Array(3)),
			() => Object.seal([, 1]), () => Object.preventExtensions(Array(3)), () => Object.defineProperty(Array(3),
			"length", { writable: false }), () => /(a)(b)?/.exec("a"), () => Object.setPrototypeOf(Array(3), null),
			() => Object.setPrototypeOf([, ,], { set 0(v) { r.push("set", v) } }), () => new Proxy(Array(2), {})])
			for (const order of [[0, 1, 2], [2, 1, 0], [1], [3, 2], [4, 0]]) { const a = make(); for (const i of order)
			put(a, i, 7); try { has(a) } catch (e) { r.push(e.name) } r.push(a); try { a.length = 1 } catch (e) {
			r.push(e.name) } put(a, 1, 8) }
			Array.prototype[1] = 5; put(Array(3), 1, 2); put([1, , 3], 1, 2); delete Array.prototype[1];
			Object.defineProperty(Object.prototype, 0, { value: 1, configurable: true }); put(Array(3), 0, 2);
			put([, 1], 0, 2); delete Object.prototype[0]; const long = Array(300); for (let i = 0; i < 299; i++)
			long[i] = i; r.push(long.length, long.indexOf(298), 299 in long)` + tell,
		`class A { a = 1; a = 2; 7 = 3; b; ["c"] = 4; k = Object.preventExtensions(this) && 1 }
			try { new A } catch (e) { e.name }`,
		`class A { constructor() { return Object.defineProperty({ w: 0 }, "a", { get() { return 1 },
			configurable: true }) } } class B extends A { a = 2; w = 3; x = 4 } Object.entries(new B)`,
		`class A { constructor() { return new Proxy({}, { defineProperty(t, k, d) { r.push(k, d); return
			Reflect.defineProperty(t, k, d) } }) } } class B extends A { a = 2 } const r = []; new B; r`,
		`Object.defineProperty(Object.prototype, "f", { set() { throw 1 }, configurable: true });
			class A { f = 1 } [new A, new A, Object.entries(new A)]`,
		`const r = [], o = Object.defineProperty({ v: 1 }, "hidden", { value: 1, writable: true, configurable: true });
			for (let i = 0; i < 4; i++) { r.push(o.hidden, o.v); o.hidden = i; if (i === 2) Object.defineProperty(o,
			"hidden", { get() { return "got" } }) } r`,
	})
}

// A loop over an array makes neither a record nor an iterator by themselves, and what takes all at once no iterator.
func TestIterationsAllocate(t *testing.T) {
	allocations := func(source string) float64 {
		l, rt := layout(t), goja.New()
		p := goja.MustCompile("", source, true)
		l.Quicken(p)
		ready(t, l, rt)
		v, err := rt.RunProgram(p)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := goja.AssertFunction(v)
		return testing.AllocsPerRun(100, func() {
			if _, err := f(goja.Undefined()); err != nil {
				t.Fatal(err)
			}
		})
	}
	const list = "const list = [1, 2], f = () => 0; for (const x of list); "
	none := allocations(list + "() => { f() }")
	if got := allocations(list+"() => { f(...list) }") - none; got > 1 {
		t.Errorf("arguments of a list take %v allocations, expected 1", got)
	}
	if got := allocations(list+"() => { for (const x of list) f() }") - none; got > 2 {
		t.Errorf("a loop takes %v allocations, expected 2", got)
	}
	made := allocations(list + "() => Array(40)")
	if got := allocations(list+"() => { const a = Array(40); for (let i = 0; i < 40; i++) a[i] = f }") - made; got > 1 {
		t.Errorf("elements of an array whose length is told take %v allocations, expected 1", got)
	}
}
