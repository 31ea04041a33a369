package gojainternals

import "testing"

// thens note in r what happens, in its order, where promises are chained.
var thens = []string{
	`const p = Promise.resolve(1); p.then((v) => { r.push(v); return v + 1 }).then((v) => r.push(v), () => r.push("no"))
		.then(5, null).then((v) => r.push(v)); p.then((v) => { throw v + "t" }).then(() => r.push("no"))
		.catch((e) => { r.push(e); return "c" }).finally(() => { r.push("f", ...arguments) }).then((v) => r.push(v));
		Promise.reject("r").then((v) => r.push("no")).then().then(null, (e) => r.push(e))`,
	`const t = { then(a, b) { r.push("t"); a("thenable"); b(1) } };
		Promise.resolve().then(() => t).then((v) => r.push(v));
		Promise.resolve().then(() => Promise.resolve("p")).then((v) => r.push(v));
		Promise.resolve().then(() => r.push(1)).then(() => r.push(2)).then(() => r.push(3)).then(() => r.push(4));
		Promise.resolve().then(() => ({ get then() { throw "g" } })).catch((e) => r.push(e))`,
	`class P extends Promise { constructor(f) { r.push("made"); super(f) } }
		const p = new P((y) => y(1)), q = p.then((v) =>
		v + 1); r.push(q instanceof P); q.then((v) => r.push(v)); P.resolve(3).finally(() => {}).then((v) => r.push(v));
		class Q extends Promise { static get [Symbol.species]() { r.push("species"); return Promise } }
		r.push(new Q(() => {}).then() instanceof Q)`,
	`const old = Object.getOwnPropertyDescriptor(Promise, Symbol.species); let asked = 0;
		Object.defineProperty(Promise, Symbol.species, { get() { asked++; return this }, configurable: true });
		Promise.resolve(1).then((v) => r.push(v, asked)); Object.defineProperty(Promise,
		Symbol.species, { value: null });
		Promise.resolve(2).then((v) => r.push(v, asked)); delete Promise[Symbol.species];
		Promise.resolve(3).then((v) => r.push(v, asked)); Object.defineProperty(Promise, Symbol.species, old);
		Promise.resolve(4).then((v) => r.push(v, asked))`,
	`const p = Promise.resolve(1); p.constructor = { [Symbol.species]: class extends Promise {} };
		r.push(p.then().constructor === p.constructor[Symbol.species]); const q = Promise.resolve(1);
		q.constructor = undefined; r.push(q.then() instanceof Promise); q.constructor = 5;
		try { q.then() } catch (e) { r.push(e.name) } try { Promise.prototype.then.call({})
		} catch (e) { r.push(e.name) }
		try { Promise.prototype.then.call(1) } catch (e) { r.push(e.name) }`,
	`let p; p = Promise.resolve().then(() => p); p.catch((e) => r.push(e.name));
		let y; const late = new Promise((a) => y = a);
		late.then((v) => r.push("a", v)); (async () => r.push("b", await late))(); late.then((v) => r.push("c", v));
		Promise.resolve().then(() => y("late")); const all = Promise.resolve(9); const d = all.then((v) => v);
		d.then((v) => r.push("d", v)); (async () => { r.push("e", await d) })(); d.then((v) => r.push("f", v))`,
	`const d = (v, n) => n ? Promise.resolve(v).then((v) => d(v, n - 1)) : v;
		Promise.all([1, d(2, 3), Promise.resolve(3), { then(y) { y(4) } }]).then((v) => r.push(...v));
		Promise.all([d(1, 1), Promise.reject("x")]).catch((e) => r.push(e));
		Promise.race([d(1, 3), d(2, 1)]).then((v) =>
		r.push(v)); Promise.any([Promise.reject(1), d(2, 2)]).then((v) => r.push(v)); Promise.allSettled([d(1, 1),
		Promise.reject(2)]).then((v) => r.push(v)); Promise.any([]).catch((e) => r.push(e.name))`,
	`const p = Promise.resolve().then(() => {}); r.push(Object.keys(p), p.constructor === Promise, String(p));
		p.x = 1; r.push(p.x); const f = (async () => { await 0; throw Error("stack") })();
		f.catch((e) => { r.push(e.stack, Error("in").stack) }); (async () => { try { await f.then(() => {}) }
		catch (e) { r.push(Error("behind").stack) } })()`,
}

// A chain of promises is goja's own to all that can see it.
func TestThens(t *testing.T) { compareCalls(t, thens) }
