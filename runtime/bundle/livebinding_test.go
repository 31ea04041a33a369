package bundle

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/unistring"
)

// TestBindLive: a name of an import stands for the namespace's property wherever nothing else declares it. x is 1 in
// the namespace and f returns its this; each case is the body of a function and what it returns.
func TestBindLive(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"return x", "1"},
		{"return typeof x", "number"},
		{"return { x }.x + { y: x }.y", "2"},
		{"return `${x}` + [x, ...[x]].length", "12"},
		{"return f() === undefined", "true"},
		{"return f?.() === undefined", "true"},
		{"return new K(x).v", "1"},
		{"const o = { f: 2, x: 3 }; return o.x + o['x']", "6"},
		{"const g = (a = x) => a; return g()", "1"},
		{"const g = (x) => x; return g(5)", "5"},
		{"const g = function x() { return typeof x; }; return g()", "function"},
		{"const g = function () { var x = 6; return x; }; return g()", "6"},
		{"const g = function () { if (true) { var x = 6; } return x; }; return g()", "6"},
		{"{ let x = 7; } return x", "1"},
		{"{ const x = 7; return x; }", "7"},
		{"{ function x() {} return typeof x; }", "function"},
		{"{ class x {} return typeof x; }", "function"},
		{"for (let x = 3; x < 4; x++) return x", "3"},
		{"for (const x of [8]) return x", "8"},
		{"for (const k of [x]) return k", "1"},
		{"for (const x in { q: 1 }) return x", "q"},
		{"try { throw 9; } catch (x) { return x; }", "9"},
		{"try { throw [9]; } catch ([x]) { return x; }", "9"},
		{"const { a: x } = { a: 4 }; return x", "4"},
		{"{ const { a = x } = {}; return a; }", "1"},
		{"{ const { [`${x}`]: a } = { 1: 'computed' }; return a; }", "computed"},
		{"{ const [, ...x] = [1, 2, 3]; return x.length; }", "2"},
		{"switch (x) { case x: return 'same'; }", "same"},
		{"switch (1) { case 1: let x = 2; return x; }", "2"},
		{"class C { x = x; static s = x; [x]() { return x; } } return new C().x + C.s + new C()[1]()", "3"},
		{"class C { static { this.v = x; } } return C.v", "1"},
		{"label: for (;;) { if (x) break label; } return x ? x : 0", "1"},
		{"do { var n = x; } while (!x); while (!x); return n", "1"},
		{"const { ...x } = { a: 1 }; return Object.keys(x)[0]", "a"},
		{"return (() => ({ x }))().x", "1"},
		{"return ((...x) => x.length)(1, 2)", "2"},
		{"return (({ x }) => x)({ x: 3 })", "3"},
		{"return (({ y = x }) => y)({})", "1"},
		{"return (x, 2) && !x || -x", "-1"},
	} {
		program, err := parser.ParseFile(nil, "a.js", "(function () { "+c.body+" })", 0)
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		fn := program.Body[0].(*ast.ExpressionStatement).Expression.(*ast.FunctionLiteral)
		imports := map[unistring.String]liveImport{}
		for _, name := range []unistring.String{"x", "f", "K"} {
			imports[name] = liveImport{space: "space", name: name}
		}
		// The module's own top level declares no import's name, so its scope is the namespace's.
		inner := fn.Body.List
		bindLive(inner, imports, func(*ast.CallExpression) {})
		prg, err := goja.CompileAST(program, true)
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		rt := goja.New()
		if _, err := rt.RunString(`var space = { x: 1, f() { "use strict"; return this; }, ` +
			`K: class { constructor(v) { this.v = v; } } }`); err != nil {
			t.Fatal(err)
		}
		v, err := rt.RunProgram(prg)
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		call, _ := goja.AssertFunction(v)
		got, err := call(goja.Undefined())
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
		} else if got.String() != c.want {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
	}
}
