package gojainternals

import "testing"

var mapTwinSources = []string{
	`const r = [], o = {}, f = () => {}, a = [], s = Symbol("s"), m = new Map, t = new Set, keys = [1, 0, -0,
		1.5, NaN, "1", "a", "é",
		"a" + "b", "ab", ("x" + "é").slice(0, 1), "x", o, f, a, s, null, undefined, true, false, 1n, 2 ** 53,
		-7, "", {}, [], "y".repeat(70000),
		"key" + 5, "key5", new String("a"), "a1", "a" + 1]; for (const round of [0, 1, 2]) { for (const k of keys) {
		r.push(m.has(k), t.has(k), typeof m.get(k), m.set(k, round) === m, t.add(k) === t, m.get(k), m.size, t.size);
		if (round === 1 && typeof k === "string") { r.push(m.delete(k), t.delete(k), m.has(k), t.has(k)) } }
		r.push([...m.keys()].map((k) => typeof k === "string" ? k.slice(0, 9) : typeof k), [...t].length,
		[...m].map(([, v]) => v), [...m.values()]) } m.clear(); t.clear(); r.push(m.size, m.has(1), t.has(1),
		m.get(1)); m.set(1, 2);
		t.add(1); r.push([...m], [...t]); r`,
	`const r = []; for (const [f, ...a] of [[Map.prototype.get, 1], [Map.prototype.set, 1, 2], [Map.prototype.has, 1],
		[Set.prototype.add, 1], [Set.prototype.has, 1]]) for (const o of [new Map, new Set, {}, null, 5,
		new WeakMap, [],
		new (class extends Map {}), new (class extends Set { add(x) { return super.add(x + 1) } })]) try {
		const v = f.call(o, ...a); r.push(v === o ? "itself" : v, o.size) } catch (e) { r.push(e.name) }
		const m = new Map; r.push(m.set() === m, m.get(), m.has(), m.set(1) === m, m.get(1), [...m],
		new Set().add().size);
		class C extends Map { get(k) { return [super.get(k)] } } const c = new C([["a", 1]]); c.set("b", 2);
		r.push(c.get("a"), c.get("b"),
		c.size); r`,
	`const m = new Map, r = []; for (let i = 0; i < 600; i++) m.set("key" + i % 100, (m.get("key" +
		i % 100) ?? 0) + i); for (const [k, v]
		of m) { r.push(k, v); if (k === "key3") { m.delete("key4"); m.set("late", 1) } } m.forEach((v, k) =>
		m.delete(k)); r.push(m.size); r`,
}

// Twins of Maps and Sets do what goja does.
func TestMapTwins(t *testing.T) { showSame(t, mapTwinSources) }
