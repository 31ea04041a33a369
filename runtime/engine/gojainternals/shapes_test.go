package gojainternals

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Generated scripts change objects and their prototypes, and go over them, call, read, write and compare: a program
// with our instructions shows what goja's own shows.
func TestGeneratedShapes(t *testing.T) {
	for seed := range uint64(80) {
		showSame(t, []string{shapes(rand.New(rand.NewPCG(seed, 17)))})
	}
}

const shapesBegin = `const log = []; class A { constructor(x) { this.a = x; this.b = 1 } m(y) { return [this.a, y] }
		get g() { return this.b } set g(v) { this.b = v } static s() { return 1 } }
	class B extends A { constructor(x) { super(x); this.c = x } m(y) { return super.m(y).concat("B") } }
	function F(x) { this.a = x; this.d = x }
	F.prototype.m = function () { "use strict"; return [arguments.length, arguments[0], this.d] };
	const os = [{ a: 1, b: 2 }, new A(1), new B(2), new F(3), Object.create({ a: 5, e: 6 }), [1, 2], {},
		{ d: 1, m() { return "own" } }];
	const cs = [A, B, F];
	const see = (f) => { try { const v = f(); log.push(typeof v === "function" ? "f" : v) }
		catch (e) { log.push(e.name + e.message) } };
	for (let round = 0; round < 3; round++) {
	` // so that what one round leaves meets the same instructions

// shapesSteps are what generated scripts do: [o] is an object, [c] a class, [p] a name, [n] a digit, [t] a truth
// value.
var shapesSteps = []string{
	`see(() => [o].[p])`,
	`see(() => [o]["[p]"])`,
	`see(() => [o].m([n], 2))`,
	`see(() => { [o].[p] = [n] })`,
	`see(() => { [o]["[p]"] = [n] })`,
	`see(() => { [c].prototype.[p] = [n] })`,
	`see(() => delete [o].[p])`,
	`see(() => delete [c].prototype.[p])`,
	`see(() => [o] instanceof [c])`,
	`see(() => { const k = []; for (const n in [o]) k.push(n); return k })`,
	`see(() => { for (const k in [o]) delete [o][k] })`,
	`see(() => { Object.freeze([o]) })`,
	`see(() => { Object.setPrototypeOf([o], [c].prototype) })`,
	`see(() => { Object.setPrototypeOf([o], [o]) })`,
	`see(() => { Object.defineProperty([o], "[p]", { get() { return [n] }, enumerable: [t], configurable: true }) })`,
	`see(() => { Object.defineProperty([c].prototype, "[p]", { value: [n], writable: [t], enumerable: [t],
		configurable: true }) })`,
	`see(() => { Object.defineProperty([c], Symbol.hasInstance, { value: () => [t], configurable: true }) })`,
	`os[[n] % 8] = new [c]([n])`,
	`os[[n] % 8] = { ...[o], a: 1 }`,
	`for (const o of os) see(() => o.[p])`,
	`for (const o of os) see(() => { o.[p] = [n] })`,
	`for (const o of [...os, ...os]) see(() => [o.m([n]), o.g, o.none])`,
	`for (const x of ["text", 5, [1], () => 1, new Map, cs[1], Symbol.iterator]) see(() => [x.[p], x.none, x.name])`,
	`for (const c of cs) for (let i = 0; i < 3; i++) { const o = new c(i); see(() => [o.[p], o.m(i), o.a, o.e]) }`,
	`Object.prototype.[p] = [n]; see(() => [o].[p]); delete Object.prototype.[p]`,
	`Array.prototype.[p] = [n]; String.prototype.[p] = [n]; Function.prototype.[p] = [n]`,
	`delete Array.prototype.[p]; delete String.prototype.[p]; delete Function.prototype.[p]`,
	`Object.defineProperty(Object.prototype, "[p]", { set(v) { log.push("set " + v) }, configurable: true });
		see(() => { [o].[p] = [n] }); see(() => new [c]([n]).[p]); delete Object.prototype.[p]`,
	`see(() => Object.setPrototypeOf([c].prototype, [o]))`,
	`see(() => Object.setPrototypeOf([c].prototype, new Proxy({ ["[p]"]: [n] }, {})))`,
	`see(() => Object.setPrototypeOf([o], new Proxy({ m: [c].prototype.m, e: 4 }, {
		get(t, k) { return k === "[p]" ? [n] : t[k] } })))`,
	`see(() => Object.setPrototypeOf([o], [t] ? null :
		Object.create([c].prototype, { [p]: { get() { return this.k0 } } })))`,
	`see(() => Object.assign([c].prototype, { ["[p]"]: [n], extra() { return this.[p] } })); see(() => [o].extra())`,
	`see(() => { F.prototype = { ["[p]"]: [n], m() { return "new" } } })`,
	`see(() => [Reflect.set([c].prototype, "[p]", [n], [o]), Reflect.set([o], "[p]", [n], [c].prototype), [o].[p]])`,
	`see(() => Reflect.construct([c], [[n]], [c]).[p])`,
	`see(() => { const o = [o]; for (const k of ["z1", "z2", "z3", "1", "z4"]) {
		 o[k] = 1; o.z5 = 2; o.none; delete o[k] } })`,
	`see(() => { const o = [o]; for (let i = 0; i < 12; i++) { o.none;
		 if (i % 3 === 2) { o["x" + i] = i; delete o.[p] } } })`,
	`see(() => { [c].[p] = [n]; return [cs[0].[p], cs[1].[p], cs[1].s && cs[1].s()] })`,
	`see(() => { const o = Object.create([o]); o.[p]; o.[p] = [n]; return [o.[p], Object.keys(o)] })`,
	`see(() => { for (let i = 0; i < 9; i++) [o]["k" + i] = i; return [[o].k8, [o].[p]] })`,
	`see(() => [Object.isFrozen(Object.seal([c].prototype)), Object.getOwnPropertyNames([c].prototype)])`,
	`see(() => Object.keys([o]).concat(JSON.stringify([o]), "[p]" in [o]))`,
}

// shapes is a script of random steps with objects, prototypes and classes.
func shapes(r *rand.Rand) string {
	names := []string{"a", "b", "c", "d", "e", "m", "g", "constructor"}
	var b strings.Builder
	b.WriteString(shapesBegin)
	for range 30 {
		step := shapesSteps[r.IntN(len(shapesSteps))]
		for _, part := range []struct {
			mark string
			pick func() string
		}{
			{"[o]", func() string { return fmt.Sprintf("os[%d]", r.IntN(8)) }},
			{"[c]", func() string { return fmt.Sprintf("cs[%d]", r.IntN(3)) }},
			{"[n]", func() string { return fmt.Sprint(r.IntN(9)) }},
			{"[t]", func() string { return fmt.Sprint(r.IntN(2) == 0) }},
			{"[p]", func() string { return names[r.IntN(len(names))] }},
		} {
			for strings.Contains(step, part.mark) {
				step = strings.Replace(step, part.mark, part.pick(), 1)
			}
		}
		b.WriteString(step + ";\n")
	}
	b.WriteString("}\nlog")
	return b.String()
}
