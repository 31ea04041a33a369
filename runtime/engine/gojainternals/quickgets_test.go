package gojainternals

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A property is what the object has now, in whichever slot its map keeps it, and whoever came before.
func TestQuickGets(t *testing.T) {
	const begin = `const r = [], big = {}; for (let i = 0; i < 30; i++) big["k" + i] = i; big.a = "big";
		class A { constructor() { this.b = 1; this.a = "instance" } get g() { return this.a } m() { return "m" } }
		const made = [{ a: 1 }, { b: 1, a: 2 }, { c: 0, b: 1, a: 3 }, new A, big,
			Object.create({ a: "above" }), { b: 1 },
			{ get a() { return "got" } }, [1], () => 1, "text", Object.assign({}, { a: 4 }), { ["a"]: 5 },
			JSON.parse('{"b":1,"a":6}'), new Proxy({}, { get: () => "trap" }), Object.freeze({ a: 7 }),
				{ a: undefined },
			Object.defineProperty({}, "a", { value: 8 }), Object.prototype, Math, { __proto__: { a: "inner" } }];
		const get = (o) => o.a, deep = (o) => { const x = o; return [x.a, x.m && x.m(), x.g, x.length] };
		const look = () => { for (const o of made) r.push(get(o), deep(o)) };
		for (let i = 0; i < 4; i++) look(); r.length = 0;`
	var sources []string
	for _, change := range []string{
		``, `for (const o of made) try { delete o.a } catch {}`, `for (const o of made) try { o.a = "set" } catch {}`,
		`for (const o of made.slice(0, 7)) Object.defineProperty(o, "a", { get() { return "late" } })`,
		`for (const o of made.slice(0, 7)) { delete o.a; o.z = 1; o.a = "again" }`,
		`for (let i = 0; i < 20; i++) { made[1]["n" + i] = i; look() }`,
		`for (let i = 0; i < 20; i++) { delete big["k" + i]; look() }`,
		`for (const o of made.slice(0, 7)) Object.setPrototypeOf(o, { m: () => "other", g: 5 })`,
		`Object.prototype.a = "root"; look(); delete Object.prototype.a`,
		`A.prototype.m = 1; A.prototype.a = 2; delete made[3].a`,
	} {
		sources = append(sources, fmt.Sprintf("%s try { %s } catch (e) { r.push(e.name) } look(); look(); r",
			begin, change))
	}
	showSame(t, sources)
}

// Random objects get, lose and are asked for properties by instructions that all of them share.
func TestQuickGetsOfRandomObjects(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var sources []string
	for range 20 {
		var b strings.Builder
		b.WriteString(`const r = [], p = { c: "p", d: "p" }, get = {}, put = {};
			const o = [{}, { a: 1, b: 2 }, { b: 1, a: 2, c: 3 }, Object.create(p), p];
			`)
		for _, name := range "abcd" {
			fmt.Fprintf(&b, "get.%[1]c = (x) => x.%[1]c; put.%[1]c = (x, v) => { x.%[1]c = v };\n", name)
		}
		for i := range 200 {
			name, at := string("abcd"[random.IntN(4)]), random.IntN(5)
			switch random.IntN(8) {
			case 0, 1:
				fmt.Fprintf(&b, "put.%s(o[%d], %d);", name, at, i)
			case 2:
				fmt.Fprintf(&b, "delete o[%d].%s;", at, name)
			case 3:
				fmt.Fprintf(&b, "o[%d] = { %s: %d, x%d: 1 };", at, name, i, random.IntN(12))
			case 4:
				fmt.Fprintf(&b, "o[%d].x%d = 1;", at, random.IntN(12))
			case 5:
				const accessor = "o[%d] = Object.create(p, { %s: {" +
					" get() { return %d }, set() {}, configurable: true } });"
				fmt.Fprintf(&b, accessor, at, name, i)
			default:
				fmt.Fprintf(&b, "for (const x of o) r.push(get.%s(x));", name)
			}
		}
		b.WriteString("r.push(o.map((x) => Object.keys(x).join())); r")
		sources = append(sources, b.String())
	}
	showSame(t, sources)
}

// Object.getPrototypeOf gives what an object's prototype is now.
func TestTwinPrototype(t *testing.T) {
	showSame(t, []string{`class A {} class B extends A {} function F() {} const r = [], names = new Map([
			[Object.prototype, "Object"], [Array.prototype, "Array"], [Function.prototype, "Function"],
				[A.prototype, "A"],
			[B.prototype, "B"], [F.prototype, "F"], [A, "class A"], [Map.prototype, "Map"], [Error.prototype,
				"Error"]]);
		const of = (o) => { try { const p = Object.getPrototypeOf(o); r.push(names.get(p) ?? String(p)) }
			catch (e) { r.push(String(e)) } };
		const all = [{}, { a: 1 }, [], [1], () => 1, F, new F, A, B, new A, new B, A.prototype,
			Object.prototype, Math, Map,
			new Map, Object.create(null), new Proxy({}, { getPrototypeOf: () => A.prototype }), new Proxy([],
				{}), 5, "t",
			undefined, null, Symbol(), 1n, /x/, new Date(0), new Error("e"), globalThis, Object.create(A),
				(async () => 1)];
		all.forEach(of); const o = all[1]; Object.setPrototypeOf(o, A.prototype); of(o); o.__proto__ = null; of(o);
		Object.setPrototypeOf(A, null); of(A); of(B); of(); F.prototype = A.prototype; of(new F);
			Object.freeze(o); of(o);
		r.push(Object.getPrototypeOf.length, Object.getPrototypeOf.name, [{},
			[]].map(Object.getPrototypeOf).length); r`})
}
