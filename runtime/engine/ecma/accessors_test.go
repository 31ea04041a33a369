package ecma

import "testing"

// What goja gets wrong of accessors and of -0, and quick instructions would make worse.
func TestValuesThatBecomeAccessors(t *testing.T) {
	each(t, map[string]string{
		`const r = [], o = { x: 1 }, set = (o) => { try { o.x = 5 } catch (e) { r.push(e.name) } return o.x };
			set(o); Object.defineProperty(o, "x", { get: () => "got" });
			r.push(set(o), set(o)); r.join()`: "TypeError,TypeError,got,got",
		`const o = { x: 1, get x() { return "got" } };
			try { o.x = 2 } catch (e) { e.name + o.x }`: "TypeErrorgot",
		`const o = { x: 1 }; Object.defineProperty(o, "x", { get: () => "got" }); const k = "x";
			try { o[k] = 5 } catch {} [o.x, o[k], ({ ...o }).x].join()`: "got,got,got",
		`const r = []; for (const [x, y] of [[-5, 0], [0, -5], [5, 0], [0, 0], [-1, 0]])
			r.push(Object.is(x * y, -0)); r.join()`: "true,true,false,false,true",
		`const f = (x) => x * -3; [Object.is(f(0), -0), Object.is(f(2), -6), 1 / f(0)].join()`: "true,true,-Infinity",
	})
}
