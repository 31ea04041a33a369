package gojainternals

import "testing"

// for-in gives the same names as goja's in the same order, whatever happens to the object and its prototypes.
func TestEnumerations(t *testing.T) {
	const collect = `const all = (o, f) => { const r = []; for (const k in o) { r.push(k); if (f) f(k,
			o) } return r };`
	sources := []string{
		`[all({}), all({ a: 1, b: 2 }), all({ b: 1, 2: 1, a: 1, 1: 1 }), all([5, 6]), all("ab"),
			all(null), all(undefined), all(5)]`,
		`const o = { a: 1, b: 2, c: 3 }; [all(o, (k, o) => delete o.b), all(o), all(o, (k,
			o) => { o["x" + k] = 1 }).slice(0, 2)]`,
		`const o = {}; o.a = 1; o.b = 2; o.c = 3; [all(o, (k, o) => { delete o.b; delete o.a }), all(o)]`,
		`const o = { a: 1, b: 2 }; Object.defineProperty(o, "a", { enumerable: false }); [all(o),
			all({ get x() { return 1 }, y: 2 })]`,
		`const o = { a: 1, b: 2 }; all(o, (k, o) => Object.defineProperty(o, "b", { enumerable: false }))`,
		`class A { m() {} get g() { return 1 } } class B extends A { constructor() { super(); this.x = 1;
			this.y = 2 } } [all(new A), all(new B)]`,
		`const p = { p: 1, a: 2 }, o = Object.create(p); o.a = 1; o.z = 2; [all(o), all(Object.create(o))]`,
		`const p = {}, o = Object.create(p); o.a = 1; o.b = 2; all(o, () => { p.late = 1; p.a = 2 })`,
		`const o = { a: 1, b: 2 }; const r = all(o, () => Object.setPrototypeOf(o, { c: 1, a: 2 })); [r, all(o)]`,
		`Object.prototype.mine = 1; const r = [all({ a: 1 }), all({})]; delete Object.prototype.mine;
			r.concat(all({ a: 1 }))`,
		`Object.defineProperty(Object.prototype, "toString", { enumerable: true }); const r = all({ a: 1 });
			Object.defineProperty(Object.prototype, "toString", { enumerable: false }); [r, all({ a: 1 })]`,
		`const o = { a: 1, b: 2 }; all(o, () => { Object.prototype.mine = 1 }).concat(delete Object.prototype.mine)`,
		`const o = Object.create(null); o.a = 1; o["ä"] = 2; o["\u{1F600}"] = 3; all(o)`,
		`const r = []; for (var k in { a: { b: 1 }, c: { d: 1 } }) for (const l in { a: { b: 1 },
			c: { d: 1 } }[k]) r.push(k + l); r`,
		`const r = []; outer: for (const k in { a: 1, b: 2 }) { for (const l in { x: 1, y: 2 }) {
			if (l === "y") continue outer; r.push(k + l) } } r`,
		`const r = []; try { for (const k in { a: 1, b: 2 }) { r.push(k); throw 1 } } catch (e) { r.push(e) } r`,
		`function* g(o) { for (const k in o) yield k } [...g({ a: 1, b: 2 })]`,
		`const log = [], o = new Proxy({ a: 1 }, { ownKeys() { log.push("keys"); return ["a"] } });
			[all(o), all(Object.create(o)), log.length > 0]`,
		`const o = { a: 1 }; Object.freeze(o); all(o)`,
		`const o = { a: 1, b: 2 }; let n = 0; for (const k in o) { n += o[k]; o[k] = 5 } [n, o]`,
	}
	for i := range sources {
		sources[i] = collect + sources[i]
	}
	showSame(t, sources)
}
