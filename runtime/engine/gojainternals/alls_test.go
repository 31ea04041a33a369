package gojainternals

import "testing"

// allSources note in r what happens, in its order, where promises are made of values and gathered.
var allSources = []string{
	`const d = (v, n) => n ? Promise.resolve(v).then((v) => d(v, n - 1)) : v, tick = (n) => { let p = Promise.resolve();
		for (let i = 0; i < n; i++) p = p.then(() => r.push("t" + i)) }; tick(8);
		Promise.all([1, d(2, 3), Promise.resolve(3), "x"]).then((v) => r.push(...v));
		Promise.all([]).then((v) => r.push(v.length)); Promise.all([d(1, 1), Promise.reject("x"), Promise.reject("y")])
		.catch((e) => r.push(e)); Promise.race([d(1, 3), d(2, 1), 5]).then((v) => r.push(v));
		Promise.race([d(1, 1), Promise.reject("late")]).then((v) => r.push(v), (e) => r.push("e", e));
		const p = d(7, 2); Promise.all([p, p]).then((v) => r.push(...v)); const a = [1, Promise.resolve(2)];
		Promise.all(a).then((v) => r.push(v === a, v.length, Array.isArray(v))); a.push(3)`,
	`const t = { then(a) { r.push("t"); a("thenable") } }; Promise.all([t, 1]).then((v) => r.push(...v));
		Promise.race([t]).then((v) => r.push(v)); Promise.all([{ get then() { throw "g" } }]).catch((e) => r.push(e));
		Promise.all([, 1]).then((v) => r.push(...v));
		Promise.all(new Set([1, Promise.resolve(2)])).then((v) => r.push(...v));
		Promise.all("ab").then((v) => r.push(...v)); Promise.all(5).catch((e) => r.push(e.name));
		Promise.all().catch((e) => r.push(e.name)); try { Promise.all.call(1, []) } catch (e) { r.push(e.name) }`,
	`class P extends Promise { then(...a) { r.push("then"); return super.then(...a) } }
		Promise.all([P.resolve(1)]).then((v) => r.push(...v)); P.all([1, 2]).then((v) => r.push(...v));
		const p = Promise.resolve(1); p.then = (f) => { r.push("own"); f(5) };
		Promise.all([p]).then((v) => r.push(...v));
		const q = Promise.resolve(1); q.constructor = P; Promise.all([q]).then((v) => r.push(...v))`,
	`const then = Promise.prototype.then;
		Promise.prototype.then = function (...a) { r.push("patched", typeof a[0]);
		return then.apply(this, a) }; Promise.all([1, Promise.resolve(2)]); Promise.race([1]);
		Promise.prototype.then = then;
		const resolve = Promise.resolve;
		Promise.resolve = function (v) { r.push("resolve", v); return resolve.call(this, v) };
		Promise.all([1, 2]); Promise.race([3]); Promise.resolve = resolve; Promise.resolve = 5;
		Promise.all([1]).catch((e) => r.push(e.name)); Promise.resolve = resolve`,
	`const it = Array.prototype[Symbol.iterator]; Array.prototype[Symbol.iterator] = function () { r.push("iterates");
		return it.call(this) }; Promise.all([1]).then((v) => r.push(v.length)); Array.prototype[Symbol.iterator] = it;
		const proto = Object.getPrototypeOf([][Symbol.iterator]()), next = proto.next;
		proto.next = function () { r.push("next"); return next.call(this) }; Promise.race([1]); proto.next = next;
		const own = [1]; own[Symbol.iterator] = function* () { yield 9 }; Promise.all(own).then((v) => r.push(...v));
		class L extends Array { *[Symbol.iterator]() { yield 8 } }
		Promise.all(L.from([1])).then((v) => r.push(...v)); Promise.all([2]).then((v) => r.push(...v))`,
	`const values = [1, "s", null, undefined, true, { a: 1 }, [1], () => 1, new Map()]; for (const v of values) {
		const p = Promise.resolve(v); r.push(p instanceof Promise); p.then((x) => r.push(x === v)) }
		const p = Promise.resolve(1); r.push(Promise.resolve(p) === p);
		Promise.resolve({ then(y) { r.push("then"); y(2) } }).then((v) => r.push(v));
		class P extends Promise {}
		r.push(P.resolve(1) instanceof P, P.resolve(1).constructor === P);
		try { Promise.resolve.call(undefined, 1) } catch (e) { r.push(e.name) }
		Object.prototype.then = function (y) { r.push("all have it"); y(3) };
		Promise.resolve([]).then((v) => r.push(v));
		Promise.all([1]).then((v) => r.push(v)); delete Object.prototype.then`,
	`(async () => { try { await Promise.all([1, (async () => { throw Error("in all") })()]) }
		catch (e) { r.push(e.message) }
		r.push(await Promise.race([new Promise(() =>
		{}), Promise.resolve(4)]), ...await Promise.all([1, 2].map(async (x) =>
		x * 2))); await Promise.all([Promise.all([1]), Promise.race([2])]).then((v) => r.push(String(v))) })()`,
}

// Promise.all, race and resolve are goja's own to all that can see them.
func TestAlls(t *testing.T) { compareCalls(t, allSources) }
