package gojainternals

import (
	"fmt"
	"testing"

	"github.com/dop251/goja"
)

// What a look-up has found is found again by the same instruction until something on its way changes; then it finds
// what is there now.
func TestFindsEnd(t *testing.T) {
	const begin = `class A { constructor() { this.own = 1 } m() { return "A" } get g() { return "got" } }
		class B extends A { constructor() { super(); this.more = 2 } }
		const b = new B, plain = { x: 1 }, list = [1], late = Object.create(plain), r = [];
		const look = () => r.push(typeof b.name1, b.m && b.m(), b.g, plain.name1, list.name1, late.x, "t".name1,
			typeof b.toString, list.map && list.map.length, new B().name1);
		const put = () => { const o = new A; o.name1 = 5; r.push(Object.keys(o).join(), o.name1) };
		for (let i = 0; i < 20; i++) { look(); put() }
		r.length = 0; const then = () => { look(); put(); look(); put() };
		`
	var sources []string
	for _, change := range []string{
		`A.prototype.name1 = 1`, `B.prototype.name1 = () => 2`, `Object.prototype.name1 = 3`,
		`Array.prototype.name1 = 4`, `String.prototype.name1 = 5`, `A.prototype.m = () => "other"`,
		`Object.defineProperty(A.prototype, "m", { value: () => "defined" })`,
		`Object.defineProperty(A.prototype, "m", { value: () => "shown", writable: true, enumerable: true })`,
		`Object.defineProperty(A.prototype, "g", { value: "value" })`, `delete A.prototype.g`,
		`Object.defineProperty(A.prototype, "name1", { get() { return "late" }, set(v) { r.push("set " + v) } })`,
		`Object.defineProperty(Object.prototype, "name1", { value: 7, writable: false, configurable: true })`,
		`delete A.prototype.m`, `Object.setPrototypeOf(B.prototype, { m: () => "set" })`,
		`B.prototype.__proto__ = null`, `Object.setPrototypeOf(b, null)`, `plain.x = 2; plain.name1 = 3`,
		`Object.freeze(A.prototype); A.prototype.m = 1`, `Object.setPrototypeOf(late, list)`,
		`Object.setPrototypeOf(A.prototype, new Proxy({}, { get: (t, k) => "trap " + String(k), has: () => true }))`,
		`b.m = () => "own"; b.name1 = "own"`, `delete b.own; b.own = 1; b.name1 = 2`, `delete Array.prototype.map`,
		`Object.assign(B.prototype, { m: () => "assigned", name1: 1 })`,
		`Reflect.set(A.prototype, "name1", 9, B.prototype)`,
		`Reflect.defineProperty(B.prototype, "m", { get: () => () => "getter" })`, `for (const k in b) b[k + 1] = 1`,
		`for (let i = 0; i < 40; i++) { A.prototype["n" + i] = i; b.m; A.prototype.name1 = i; look() }`,
		`Array.prototype.map = () => 0; Array.prototype.map = function (a, b, c) {}`, `list.name1 = 1; list.length = 0`,
		`A.prototype.constructor = 1; A.prototype[Symbol.iterator] = 1; A.prototype[5] = 1`,
		`B.prototype = 1; A.prototype.toString = 1; String.prototype.name1 = 1; delete String.prototype.name1`,
	} {
		sources = append(sources, fmt.Sprintf("%s; try { %s } catch (e) { r.push(e.name) } try { then() } catch (e) {"+
			"r.push(e.name) } r", begin, change))
	}
	showSame(t, sources)
}

// A prototype that a look-up went through is watched until it changes, and is not for ever one that changes often.
func TestWatched(t *testing.T) {
	l, rt := layout(t), goja.New()
	ready(t, l, rt)
	p := compile(t, `class A { m() {} } const a = new A; a.x = 1; a.y = 2;
		globalThis.look = () => a.m; globalThis.proto = A.prototype; globalThis.change = () => { A.prototype.n = 1 }`)
	l.Quicken(p)
	if _, err := rt.RunProgram(p); err != nil {
		t.Fatal(err)
	}
	proto := rt.Get("proto").(*goja.Object)
	isWatched := func() bool { return l.kind(proto) == watched[0].kind() }
	call := func(name string) {
		f, _ := goja.AssertFunction(rt.Get(name))
		if _, err := f(goja.Undefined()); err != nil {
			t.Fatal(err)
		}
	}
	for n := range mostUnwatched + 2 {
		call("look")
		if got, want := isWatched(), n < mostUnwatched; got != want {
			t.Fatalf("after %d changes a prototype is watched: %t, expected %t", n, got, want)
		}
		if call("change"); isWatched() {
			t.Fatal("a prototype is watched that has changed")
		}
	}
}
