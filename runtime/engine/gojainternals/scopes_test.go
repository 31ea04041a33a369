package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// A scope in one piece holds what goja's would, and each turn of a loop has its own.
func TestScopes(t *testing.T) {
	showSame(t, []string{
		`const fs = []; for (let i = 0, j = 9; i < 3; i++, j--) { const k = i * 2; fs.push(() => [i++, j, k]) }
			[fs.map((f) => f()), fs.map((f) => f())]`,
		`function f(a, b, c) { return () => [a, b, c, typeof c] } [f()(), f(1)(), f(1, 2, 3)(), f(1, 2, 3, 4)()]`,
		`function f(a, b) { "use strict"; const g = () => a + b; return [g(), arguments.length, [...arguments]] }
			[f(1, 2), f(1, 2, 3), f("x")]`,
		`function f(a, b) { var c = 1, d; const g = () => (d = (d || 0) + a + c); return [g(), g(), d, b] }
			[f(1), f(1, 2, 3)]`,
		`function f(a, b, c, d, e, g, h, i, j) { return () => [a, b, c, d, e, g, h, i, j] } f(1, 2, 3, 4, 5, 6, 7)()`,
		`function f(a) { let b = 1, c = 2, d = 3, e = 4, g = 5, h = 6, i = 7; return () => [a, b, c, d,
			e, g, h, i] } f(0)()`,
		`function f(a, b, c, d, e) { return () => [a, b, c, d, e] } f(1, 2, 3, 4, 5)()`,
		`function f(a) { return eval("var z = a + 1; z") } f(1) + f(2)`,
		`function f(a) { with ({ a: 5 }) { return () => a } } f(1)()`,
		`function f(n) { const g = () => n; return n ? f(n - 1) + g() : 0 } f(200)`,
		`try { (function (a) { const g = () => x; g(); let x = a })(1) } catch (e) { e.name + e.message }`,
		`{ let a = 1, b = () => a; { let a = 2; b(); var c = [a, b()] } } c`,
		`function* g(a) { const h = () => a; while (a < 3) { yield h(); a++ } } [...g(0)]`,
		`class A { #x = 1; constructor(a) { this.f = () => [this.#x, a] } } new A(7).f()`,
		`const r = []; for (const k in { a: 1, b: 2 }) r.push(() => k); for (const v of [3,
			4]) r.push(() => v); r.map((f) => f())`,
		`let x = 0; (function (a, b) { const g = () => { b = 2; return a }; a = 5; x = [g(), a, b] })(1); x`,
		`function f(...rest) { return () => rest } [f()(), f(1, 2)()]`,
		`function f(a, b) { const g = () => a; b = 3; return [g(), a, b, arguments.length, arguments[1]] } f(1, 2)`,
	})
}

// An argument beyond those with names is in no variable, unlike goja's: one that is declared later has no value yet.
func TestScopesWithMoreArguments(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`(function (a) { const g = () => v; const was = g(); var v = 1; return [was, g(), (() => a)()] })(1, 2, 3)`,
			",1,1"},
		{`(function (a) { const g = () => x; try { return g() } catch (e) { return e.name } let x = () => a })(1, 2)`,
			"ReferenceError"},
		{`((a) => { const k = () => a, w = () => v; var v; return [k(), w()] })(1, 2, 3, 4)`, "1,"},
		{`(function (a) { var b, c, d, e, f, g, h, i, j; const all = () => [a, b, c, d, e, f, g, h, i, j];
			return all() })(1, 2, 3)`, "1,,,,,,,,,"},
		{`(function (a) { var v; const k = () => [a, v]; return k().concat(arguments.length, arguments[1]) })(1, 2)`,
			"1,,2,2"},
		{`(function (a) { var v; const k = () => [a, v]; eval("var z = a");
			return k().concat(z, arguments[1]) })(1, 2)`,
			"1,,1,2"},
		{`(function* (a) { var v; const k = () => [a, v]; yield k() })(1, 2).next().value`, "1,"},
		{`let r; (async function (a) { var v; r = (() => [a, v])() })(1, 2); r`, "1,"},
	} {
		l, rt := layout(t), goja.New()
		p, err := goja.Compile("", c.source, false)
		if err != nil {
			t.Fatalf("%s: %v", c.source, err)
		}
		l.Quicken(p)
		v, err := rt.RunProgram(p)
		if err != nil {
			t.Fatalf("%s: %v", c.source, err)
		}
		if got := v.String(); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
		}
	}
}
