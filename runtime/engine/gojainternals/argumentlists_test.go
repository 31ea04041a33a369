package gojainternals

import "testing"

// The object arguments is what goja's is.
func TestArgumentLists(t *testing.T) {
	const begin = `"use strict"; function args() { return arguments } function named(a, b) { return arguments }
		function inner(a) { const f = () => a; return [arguments, f()] }`
	sources := []string{
		`const a = args(1, "x", null); [a.length, a[0], a[2], a[3], [...a], Object.keys(a),
			JSON.stringify(a), typeof a, String(a)]`,
		`const a = named(1), b = named(1, 2, 3); [a.length, a[0], a[1], b.length, b[2], [].slice.call(b),
			Array.from(a)]`,
		`const [a, v] = inner(7, 8); [a.length, a[0], a[1], v]`,
		`const a = args(1, 2); a[0] = 5; a.length = 1; a.x = 3; [a[0], a.length, a.x, [...a], Object.keys(a)]`,
		`function f(a) { a = 9; return arguments[0] } [f(1), (function (a) { arguments[0] = 3; return a })(1)]`,
		`const a = args(1, 2); delete a[0]; [a[0], 0 in a, 1 in a, a.hasOwnProperty(1), a.length]`,
		`let r; try { args().callee } catch (e) { r = e.name } r`,
		`Object.getOwnPropertyNames(args(1)).concat(Object.getOwnPropertySymbols(args(1)).map(String))`,
		`Object.entries(Object.getOwnPropertyDescriptors(args(1))).map(([k, d]) => [k, d.value,
			d.writable, d.enumerable, d.configurable, !!d.get])`,
		`const r = []; for (const x of args(1, 2)) r.push(x); for (const k in args(3, 4)) r.push(k); r`,
		`const max = function () { return Math.max.apply(Math, arguments) }; [max(1, 5, 2), max()]`,
		`function f() { return args.apply(this, arguments) } [f(1, 2).length, f().length, args(...f(1, 2))[1]]`,
		`Object.prototype[5] = "p"; const r = args(1)[5]; delete Object.prototype[5]; [r, args(1)[5]]`,
		`const a = args(1); Object.freeze(a); let r; try { a[0] = 2 } catch (e) { r = e.name } [r, a[0],
			Object.isFrozen(a)]`,
		`Object.prototype.toString.call(args(1)) + Array.isArray(args(1)) + (args(1) instanceof Object) +
			(args() === args())`,
		`const a = args(1), m = new Map([[a, 1]]); a.length; a.y = 1; [m.get(a), a === [a][0], { ...args(1, 2) }]`,
		`function f(n) { return n ? arguments.length + f(n - 1, 1, 2) : 0 } f(50)`,
		`function f() { const g = () => arguments[0]; return g } f(3)()`,
		`function* f() { yield arguments.length; yield* arguments } [...f(1, 2)]`,
		`class A { constructor() { this.n = arguments.length; this.f = arguments[0] } }
			const a = new A(4, 5); [a.n, a.f]`,
	}
	for i := range sources {
		sources[i] = begin + sources[i]
	}
	showSame(t, sources)
}
