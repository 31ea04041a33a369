package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

// TestShorten: a shortcut stands for the function however that is called, and goja's function runs where it says no.
func TestShorten(t *testing.T) {
	l, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	const src = `function f(x) { return "goja " + x } function g(x) { return "g" + x }
		class C { constructor(x) { this.x = f(x) } }
		[f(1), f(2), f.call(null, 1), [1, 2].map((x) => f(x)), typeof new f(1), new C(1).x, g(1), f(), f(1, 2),
			(() => { try { return f(1) } finally { g(0) } })()].join()`
	tree, err := goja.Parse("s.js", src, parser.WithDisableSourceMaps)
	if err != nil {
		t.Fatal(err)
	}
	p, err := goja.CompileAST(tree, true)
	if err != nil {
		t.Fatal(err)
	}
	s := Shortcuts{}
	s.Add(tree.Body[0].(*ast.FunctionDeclaration).Function.Source,
		func(rt *goja.Runtime, arguments []goja.Value) (goja.Value, bool) {
			return rt.ToValue("short"), arguments[0].ToInteger() == 1
		})
	l.Shorten(p, s)
	v, err := goja.New().RunProgram(p)
	want := "short,goja 2,short,short,goja 2,object,short,g1,goja undefined,short,short"
	if err != nil || v.String() != want {
		t.Errorf("%v %v, expected %s", v, err, want)
	}
}

// TestTypedMemory shows what a view shows, and nothing of what is no plain typed array.
func TestTypedMemory(t *testing.T) {
	l, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	rt := goja.New()
	for source, want := range map[string]string{
		"new Uint16Array(new Uint8Array([1, 2, 3, 4, 5, 6]).buffer, 2, 1)": "Uint16Array\x03\x04",
		"new Int8Array(2)":         "Int8Array\x00\x00",
		"new Float64Array(0)":      "Float64Array",
		"new Uint8ClampedArray(1)": "Uint8ClampedArray\x00",
		"new BigInt64Array(1)":     "", "[1]": "", "new ArrayBuffer(1)": "",
		"new DataView(new ArrayBuffer(1))": "",
	} {
		v, err := rt.RunString(source)
		if err != nil {
			t.Fatal(err)
		}
		name, bytes, ok := l.TypedMemory(v.(*goja.Object))
		if got := name + string(bytes); got != want || ok != (want != "") {
			t.Errorf("%s: %q %t", source, got, ok)
		}
	}
}
