package gojainternals

import "testing"

var lightArraySources = []string{
	everything + `const r = []; for (const change of [(a) => a.x = 1, (a) => a["y"] = 2, (a) => delete a.length,
		(a) => a.length = 1, (a) => a.length = 9, (a) => { a.length = 0; a.push(7) }, (a) => delete a[0],
		(a) => a[5] = 1,
		(a) => a[9000] = 1, (a) => a[4294967295] = 1, (a) => a[-1] = 1, (a) => a["0"] = 5, (a) => Object.freeze(a),
		(a) => Object.seal(a), (a) => Object.preventExtensions(a), (a) => Object.defineProperty(a, 1, { get() {
		return 3 } }),
		(a) => Object.defineProperty(a, "z", { value: 1 }), (a) => Object.defineProperty(a, "length", {
		writable: false }),
		(a) => Object.assign(a, { q: 1, 0: 2 }), (a) => Object.setPrototypeOf(a, null), (a) => a[Symbol.iterator] = 1,
		(a) => Reflect.set(a, "w", 1), (a) => Reflect.set({}, "v", 1, a), (a) => Reflect.set({}, 1, "v", a),
		(a) => Object.create(a).u = 1, (a) => { for (const k in a) r.push(k) }, (a) => a.push(a.length, 8),
		(a) => a.pop(),
		(a) => a.shift(), (a) => a.unshift(1, 2), (a) => a.reverse(), (a) => a.splice(1, 1, 7, 8), (a) =>
		a.sort((x, y) =>
		y - x), (a) => a.fill(0), (a) => a.copyWithin(0, 1), (a) => a.concat([1], a), (a) => a.slice(1), (a) =>
		a.indexOf(2),
		(a) => a.includes(3), (a) => a.lastIndexOf(1), (a) => a.map((x) => [x]), (a) => a.filter((x) => x), (a) =>
		a.flat(), (a) => a.flatMap((x) => [x, x]), (a) => a.join("-"), (a) => a.toSorted(), (a) => a.toReversed(),
		(a) => a.with(0, 1), (a) => a.toSpliced(0, 1), (a) => Array.from(a), (a) => Array.isArray(a), (a) =>
		[...a, ...a],
		(a) => Math.max(...a), (a) => Math.max.apply(null, a), (a) => new Set(a).size, (a) => new Map(1 in a &&
		0 in a ? [a, a] : []).size,
		(a) => new Uint8Array(a).length, (a) => Object.entries(a), (a) => JSON.stringify([a, { a }]), (a) =>
		a.entries()
		.next().value, (a) => a + "", (a) => a.at(-1), (a) => a.reduce((x, y) => x + y, 0), (a) =>
		a.find((x) => x > 1),
		(a) => Object.fromEntries(1 in a && 0 in a ? [a] : []), (a) => ({ ...a }), (a) => structuredLike(a),
		(a) => a.toLocaleString()])
		for (const a of [[1, 2, 3], [], [, 1], [1, , 3], [[1], "x", null]]) {
			try { const v = change(a); r.push(v === a ? "itself" : JSON.stringify(v)) } catch (e) { r.push(e.name) }
			r.push(JSON.stringify(all(a)), a.length, all([])) } r`,
	`const r = [], a = [1, 2, 3], b = [1]; a.x = 1; b.y = 2; [Object.keys(a), Object.keys(b), Object.keys([]),
		"x" in [],
		"length" in [], Object.hasOwn([], "length"), [].hasOwnProperty("x")]`,
	`const r = []; let log = ""; Object.defineProperty(Array.prototype, 2, { set(v) { log += v },
		configurable: true });
		const a = [0, 1]; a.push(5); r.push(a.length, a[2]); const b = [0, 1]; b[2] = 6; r.push(b.length);
		delete Array.prototype[2]; a.push(7); r.push(a, log); r`,
	`const r = []; Object.prototype[1] = "inherited"; const a = [0]; r.push(a[1], a.length); a.push(1); r.push(a[1]);
		a.pop(); r.push(a[1], a.length); delete Object.prototype[1]; a.push(2); r.push(a[1], a.pop(),
		a.shift(), a); r`,
	`const a = Object.freeze([1]), r = []; for (const f of [() => a.push(2), () => a.pop(), () => a.shift(), () =>
		a.unshift(1), () => a.reverse(), () => a.push(), () => [].push.call(Object.freeze([])), () =>
		[].pop.call({}), () =>
		[].push.call({ length: 1 }, 2), () => [].push.call("x", 1), () => [].push.call(null)]) try { r.push(f()) }
		catch (e) { r.push(e.name) } r`,
	`class L extends Array { sum() { return this.reduce((a, b) => a + b, 0) } } const l = L.from([1, 2]); l.push(3);
		const p = Object.setPrototypeOf([1, 2], L.prototype); p.push(4);
		[l.sum(), l.pop(), l.shift(), l.length, p.sum(), p.pop(), p instanceof L, l.map((x) => x) instanceof L]`,
	`const a = []; for (let i = 0; i < 5000; i++) a[i] = i; a[20000] = 1; a.x = 2; const b = []; b[5000] = 1; b.y = 3;
		[a.length, Object.keys(a).length, b.length, Object.keys(b), Object.keys([])]`,
	`const a = [1, 2, 3, 4], r = []; while (a.length) r.push(a.pop(), a.shift()); a.push(9); r.push(a.slice(),
		a.includes(9),
		a.indexOf(9), a.pop(), a.pop(), a.shift(), a.length); r`,
	`const a = [3, { valueOf() { a.named = 1; return 0 } }]; [a.indexOf(3, a[1]), a.includes(3, a[1]), Object.keys(a),
		Object.keys([])]`,
	`const a = [1, 2]; Object.defineProperty(Array.prototype, "constructor", { get() { this.seen = 1; return Array },
		configurable: true }); const r = [a.slice(), a.map((x) => x), a.filter((x) => x), a.concat([3]),
		Object.keys(a),
		Object.keys([])]; delete Array.prototype.constructor; r`,
	`const f = (...a) => { a.b = 1; return a }; [Object.keys(f(1, 2)), f().length, Object.keys(((...a) => a)(1)),
		f(...[1, , 3]).map(String)]`,
	`const r = []; const a = [1, 2, 3]; for (const x of a) { a.named = x; r.push(x) } r.push(Object.keys(a)); const
		[p, ...q] = a; q.z = 1; r.push(Object.keys(q), Object.keys([...a])); r`,
	`const t = [1, [2, [3]]]; t.self = t; const u = [t, t]; [u[0] === u[1], u.flat(Infinity), String([[],
		[[]]]), [] + [],
		[1] == 1, [[0]] == false]`,
	`const it = [1, 2][Symbol.iterator](); [it.next(), [...it], [][Symbol.unscopables] === undefined,
		Object.getOwnPropertyNames([7]), Object.getOwnPropertySymbols([7])]`,
	`const p = new Proxy([1, 2], {}); p.push(3); p.x = 1; [p.length, Array.isArray(p), Object.keys(p),
		[].concat(p, [4]),
		p.pop(), p.shift(), JSON.stringify(p)]`,
}

// Light arrays show the same as goja's own, before and after a change of one of them.
func TestLightArrays(t *testing.T) { showSame(t, lightArraySources) }
