package gojainternals

import "testing"

// instanceof asks what goja's would ask, and gives the same.
func TestInstanceOf(t *testing.T) {
	showSame(t, []string{
		`class A {} class B extends A {} function F() {} const b = new B, f = new F;
			[b instanceof A, b instanceof B, b instanceof Object, b instanceof F, f instanceof F, f instanceof A,
			{} instanceof A, ({ a: 1 }) instanceof Object, Object.create(null) instanceof Object, 1 instanceof A,
			"a" instanceof String, null instanceof Object, undefined instanceof F, [] instanceof Array,
			(() => 1) instanceof Function,
			A instanceof Function, Symbol() instanceof Symbol, new Map instanceof Map,
			new Error instanceof Error, new TypeError instanceof Error,
			Promise.resolve() instanceof Promise, Promise.resolve() instanceof Object,
			/a/ instanceof RegExp, new Date instanceof Date]`,
		`class A { static [Symbol.hasInstance](x) { return x === 1 } } class B extends A {}
			[1 instanceof A, 2 instanceof A, 1 instanceof B]`,
		`class A { static [Symbol.iterator]() {} static x = 1 } class B extends A {} const b = new B;
			[b instanceof A, b instanceof B, {} instanceof B]`,
		`class A {} const r = [new A instanceof A]; Object.defineProperty(A, Symbol.hasInstance,
			{ value: () => true });
			r.push(1 instanceof A); r`,
		`class A {} class B extends A {} const b = new B, r = [b instanceof B];
			Object.defineProperty(A, Symbol.hasInstance, { get() { return (x) => { r.push(x === b);
			return false } } });
			r.push(b instanceof B); r`,
		`function F() {} const f = new F, r = [f instanceof F]; F.prototype = {}; r.push(f instanceof F);
			Object.setPrototypeOf(f, F.prototype); r.push(f instanceof F); r`,
		`class A {} const p = new Proxy({}, { getPrototypeOf() { return A.prototype } }); const o = Object.create(p);
			[p instanceof A, o instanceof A]`,
		`class A {} const r = []; try { 1 instanceof (() => 1) } catch (e) { r.push(e.message) }
			try { ({}) instanceof (() => 1) } catch (e) { r.push(e.message) }
			try { ({}) instanceof ({}) } catch (e) { r.push(e.message) } try { 1 instanceof 2 } catch (e) {
			r.push(e.message) }
			try { ({}) instanceof ({ m() {} }).m } catch (e) { r.push(e.message) } r`,
		`function F() {} F.prototype = 3; let r; try { r = {} instanceof F } catch (e) { r = e.message }
			[r, 1 instanceof F]`,
		`function F() {} const G = F.bind(null); [new F instanceof G, {} instanceof G]`,
		`class A {} Object.setPrototypeOf(A, null); let r; try { r = new A instanceof A } catch (e) { r = e.name } r`,
		`class A {} const C = new Proxy(A, {}); let r; try { r = new A instanceof C } catch (e) { r = e.name } r`,
		`class A {} let o = {}; for (let i = 0; i < 100; i++) o = Object.create(o); o instanceof A`,
		`class A {} let o = new A; for (let i = 0; i < 100; i++) o = Object.create(o); o instanceof A`,
	})
}
