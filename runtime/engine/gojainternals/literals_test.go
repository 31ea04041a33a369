package gojainternals

import (
	"strconv"
	"testing"

	"github.com/dop251/goja"
)

// An object of a literal shows the same as goja's own, whatever is done with it first.
func TestLiterals(t *testing.T) {
	literals := []string{
		`({ a: 1, b: "two", c: { d: [3, { e: null }] } })`, `({ a: undefined })`, `({ b: 2, a: x => x })`,
		`({ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8 })`, `({ a: 1, b: 2, c: 3, d: 4, e: 5 })`,
		`({ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9 })`, `({ a: 1, a: 2 })`, `({ a: 1, 2: 3, 1: 4 })`,
		`({ a: 1, __proto__: { z: 1 } })`, `({ ["a"]: 1, b: 2 })`, `({ a: 1, get b() { return this.a } })`,
		`({ a: 1, m() { return super.toString === Object.prototype.toString } })`, `({ a: 1, ...{ b: 2, a: 3 } })`,
		`({ ...{ a: 1 }, b: 2 })`, `({ a: 1, "ä": 2 })`, `({ "": 1, a: 2 })`, `({ a: true ? 1 : 2, b: null ?? 3 })`,
		`({ a: Math.max(1, 2), b: new Date(0), c: [1, 2].length + 1, d: "x" + 1, e: typeof 1 })`,
		`({ a: (() => ({ a: { b: 1 } }))(), b: function () {}, c: class {}, d: /x/g })`,
		"({ a: `t${1 + 1}`, b: [{ a: 1 }, { a: 2 }], c: (1, 2) })",
		`({ a: { a: { a: { a: 1, b: 2 }, b: 3 }, b: 4 }, b: 5 })`,
		`({ toJSON: 1, a: 2 })`, `({ toString() { return "own" }, a: 1 })`, `({ valueOf: () => 7, a: 1 })`,
		`({ a: 1, constructor: 2, hasOwnProperty: 3 })`, `({ length: 2, a: 0 })`, `({ then: 1, a: 1 })`,
	}
	acts := []string{
		`o.a`, `o["b"]`, `o.none`, `o.toString === Object.prototype.toString`, `typeof o`, `o === o && o != {}`,
		`"a" in o`, `"toString" in o`, `Object.hasOwn(o, "a")`, `o.hasOwnProperty`,
		`o.__proto__ === Object.prototype`,
		`o.a = 5; o`, `o.a = 5; o.z = 6; o`, `o[0] = 1; o`, `o["1"] = 2; o[1]`, `delete o.a; o`, `delete o.none; o`,
		`o[Symbol.for("s")] = 1; [o[Symbol.for("s")], o]`, `o[Symbol.iterator]`, `Object.keys(o)`,
		`Object.entries(o)`,
		`Object.getOwnPropertyNames(o)`, `Reflect.ownKeys(o).length`, `const r = []; for (const k in o) r.push(k); r`,
		`const r = []; for (const k in o) { r.push(k); delete o.b; o.q = 1 } r`, `({ ...o })`, `({ ...o, a: 9 })`,
		`({ a: 9, ...o })`, `const { a, ...rest } = o; [a, rest]`, `const { a = 3, z = 4 } = o; [a, z]`,
		`Object.assign({}, o)`, `Object.assign(o, { a: 7, y: 8 })`, `JSON.stringify(o)`,
		`JSON.stringify([o], null, 1)`,
		`Object.freeze(o); o.a = 5; o.zz = 1; [o, Object.isFrozen(o)]`, `Object.isFrozen(o)`,
		`Object.isExtensible(o)`,
		`Object.preventExtensions(o); o.zz = 1; o`,
		`"use strict"; Object.seal(o); try { o.zz = 1 } catch (e) { e.message }`,
		`Object.defineProperty(o, "a", { get() { return "got" } }); o.a`,
		`Object.defineProperty(o, "zz", { value: 1 }); [Object.keys(o), o.zz]`,
		`Object.getOwnPropertyDescriptor(o, "a")`, `Object.getOwnPropertyDescriptors(o)`,
		`Object.setPrototypeOf(o, { q: 1, a: 2 }); [o.q, o.a]`, `Object.setPrototypeOf(o, null); o.toString`,
		`Object.getPrototypeOf(o) === Object.prototype`, `const c = Object.create(o); [c.a, c.none, "a" in c]`,
		`const c = Object.create(o); c.a = 5; c.y = 6; [Object.keys(c), o, c.a]`, `String(o)`, `o + ""`, `o == "own"`,
		`try { o() } catch (e) { e.name }`, `try { new o } catch (e) { e.name }`,
		`try { ({}) instanceof o } catch (e) { e.name }`,
		`try { o.none() } catch (e) { e.message }`, `o instanceof Object`, `Array.isArray(o)`, `[].concat(o).length`,
		`new Map([[o, 1]]).get(o) + new Set([o]).size`, `new WeakMap([[o, 1]]).get(o)`,
		`[o, {}].includes(o) && [o].indexOf(o)`,
		`Array.from(o)`, `Array.prototype.slice.call(o)`, `try { [...o] } catch (e) { e.name }`,
		`Object.fromEntries(Object.entries(o))`,
		`Object.values(o).length`, `Object.is(o, o)`, `new Proxy(o, {}).a`,
		`const p = new Proxy(o, {}); p.a = 3; [p, o]`,
		`Reflect.get(o, "a")`, `Reflect.set(o, "a", 1) && o.a`, `Reflect.set({}, "a", 1, o) && o.a`,
		`Reflect.has(o, "b")`,
		`Reflect.deleteProperty(o, "a") && o`, `Object.prototype.toString.call(o)`, `o.propertyIsEnumerable("a")`,
		`o.a++; o.a += 2; o`, `o.a ||= 4; o.y ??= 5; o`, `o?.a`, `o?.none?.x`, `with_(o)`,
		`o.isPrototypeOf(Object.create(o))`,
		`class D extends class { constructor() { return o } } { #p = 3; static p(x) { return x.#p } } new D; D.p(o)`,
		`o.self = o; o.self.self.a`, `walk(o, [])`, `o.a = o.b; o.b = o; delete o.b; o`,
		`o.z = 1; o.a = 2; o.a + "" + o.z`,
		`Array.prototype.sort.call(Object.assign(o, { length: 2, 0: "b", 1: "a" }))[0]`,
		`label: { o.a; break label }`,
		`Object.defineProperty(Object.prototype, "late", { get() { return this === o }, configurable: true });
			const r = o.late;
			delete Object.prototype.late; r`,
		`Object.defineProperty(Object.prototype, "sets", { set(v) { this.a = v }, configurable: true }); o.sets = 8;
			delete Object.prototype.sets; o`,
		`Object.prototype.deep = 1; const r = [o.deep, Object.keys(o)]; for (const k in o) r.push(k);
			delete Object.prototype.deep; r`,
	}
	const around = `var with_ = new Function("o", "with (o) { a = typeof a; return [a, typeof b] }"), value,
		walk = (v, seen) => v && typeof v === "object" ? (seen.includes(v) ? "again" : (seen.push(v),
			Object.keys(v).map((k) => [k, walk(v[k], seen)]))) : String(v),
		render = (v, seen = new Set) => typeof v === "function" ? "function " + v.name :
			typeof v !== "object" || v === null ?
			typeof v + String(v) : seen.has(v) ? "again" : (seen.add(v), Object.prototype.toString.call(v) + "{" +
			Object.getOwnPropertyNames(v).map((k) => { const d = Object.getOwnPropertyDescriptor(v, k);
				return [k, d.writable, d.enumerable, d.configurable, typeof d.get, render(d.value, seen)].join(":")
			}) + "}")`
	shows := func(quick bool) (shown []string) {
		l, rt := layout(t), goja.New()
		compile := func(source string) *goja.Program {
			p, err := goja.Compile("", source, false)
			if err != nil {
				t.Fatalf("%s: %v", source, err)
			}
			if quick {
				l.Quicken(p)
			}
			return p
		}
		run := func(p *goja.Program) goja.Value {
			v, err := rt.RunProgram(p)
			if err != nil {
				return rt.ToValue(err.Error())
			}
			return v
		}
		run(compile(around))
		var second, programs []*goja.Program
		for _, act := range []string{"", "o", "JSON.stringify(o)", "o.b; o.c"} {
			second = append(second, compile("{ value = [value, eval("+strconv.Quote(act)+")] } render([value, o])"))
		}
		for _, act := range acts {
			programs = append(programs, compile("value = undefined; { "+act+" }"))
		}
		keep := compile("value = last")
		for i, literal := range literals {
			p := compile("globalThis.o = " + literal)
			for j, act := range programs {
				run(p)
				if err := rt.Set("last", run(act)); err != nil {
					t.Fatal(err)
				}
				run(keep)
				shown = append(shown, literal+", "+acts[j]+": "+run(second[(i+j)%len(second)]).String())
			}
		}
		return shown
	}
	want := shows(false)
	for i, got := range shows(true) {
		if got != want[i] {
			t.Errorf("\n got %s\nwant %s", got, want[i])
		}
	}
}

// Literals of the frequent forms make objects of ours, and what they hold is let go when they become goja's own.
func TestLiteralsAreLight(t *testing.T) {
	l, rt := layout(t), goja.New()
	for source, want := range map[string]bool{
		`({ a: 1 })`: true, `((j) => ({ body: { id: j, text: "a message" } }))(1)`: true,
		`({ a: f(1), b: g.h(2, 3), c: new Date })`: true,
		`({ a: [1, { b: 2 }], c: x => x })`:        true, `[{ a: 1 }][0]`: true, `f({ a: 1 }, 2)`: true, `({})`: false,
		`({ a: 1, ...{} })`: false, `({ a: 1, m() {} })`: false, `({ a: 1, get b() {} })`: false, `({ 1: 2 })`: false,
		`({ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9 })`: false,
	} {
		p, err := goja.Compile("", "const f = (a) => a, g = { h: f }; "+source, true)
		if err != nil {
			t.Fatal(err)
		}
		l.Quicken(p)
		v, err := goja.New().RunProgram(p)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		if _, ok := l.literal(v.(*goja.Object)); ok != want {
			t.Errorf("%s is an object of ours: %v, want %v", source, ok, want)
		}
	}
	v := runQuickened(t, l, rt, `({ a: {}, b: 1 })`, true)
	o := v.(*goja.Object)
	z, ok := l.literal(o)
	if !ok {
		t.Fatal("no object of ours")
	}
	if err := o.Set("c", 2); err != nil {
		t.Fatal(err)
	}
	if _, ok := l.literal(o); ok || *z.value(0) != nil || *z.value(1) != nil {
		t.Errorf("it is still one (%v), or keeps %v and %v", ok, *z.value(0), *z.value(1))
	}
}

// Where most objects of a literal become goja's own they are so from the start before long.
func TestLiteralsAreWorthIt(t *testing.T) {
	l := layout(t)
	for every, want := range map[int]bool{1: false, 5: true} {
		p, err := goja.Compile("", `const make = () => ({ a: 1, b: 2 });
			for (let i = 0; i < 10000; i++) { const o = make();
			if (i % every === 0) delete o.a } make()`, true)
		if err != nil {
			t.Fatal(err)
		}
		l.Quicken(p)
		rt := goja.New()
		if err := rt.Set("every", every); err != nil {
			t.Fatal(err)
		}
		v, err := rt.RunProgram(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := l.literal(v.(*goja.Object)); ok != want {
			t.Errorf("one in %d is changed: lazy %v, want %v", every, ok, want)
		}
	}
}
