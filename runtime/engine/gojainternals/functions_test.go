package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// The Go functions behind built-ins can be read and replaced; other functions have none.
func TestNative(t *testing.T) {
	l, rt := layout(t), goja.New()
	for source, native := range map[string]bool{
		"Date": true, "TypeError": true, "Array.prototype.map": true, "Reflect.get": true, "(function () {})": false,
		"({})":       false,
		"(class {})": false, "Math.max.bind(null)": false,
	} {
		if _, ok := l.Native(object(t, rt, source)); ok != native {
			t.Errorf("%s is native: %t", source, ok)
		}
	}
	if _, ok := l.Native(nil); ok {
		t.Error("nil is native")
	}
	n, _ := l.Native(object(t, rt, "Date"))
	construct := *n.Construct
	*n.Construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
		return construct([]goja.Value{rt.ToValue(1000)}, newTarget)
	}
	*n.Call = func(goja.FunctionCall) goja.Value { return rt.ToValue("called") }
	v, err := rt.RunString("class D extends Date {} [new Date().getTime(), Date(), new D() instanceof D].join()")
	if err != nil || v.String() != "1000,called,true" {
		t.Errorf("%v, %v", v, err)
	}
}

// Every form of function has a program and a text that can be replaced.
func TestFunctionForms(t *testing.T) {
	l, rt := layout(t), goja.New()
	forms := append(
		[]string{"(class { constructor() {} })", "Object.getOwnPropertyDescriptor({ get x() { return 1 } }, 'x').get"},
		functionForms...)
	for _, form := range forms {
		f := object(t, rt, form)
		if l.ProgramOf(f) == nil && form != "(class {})" { // a class without a constructor has no body
			t.Errorf("%s has no program", form)
		}
		if !l.SetSource(f, "another text") || f.String() != "another text" {
			t.Errorf("%s is %s after its text was replaced", form, f)
		}
	}
	for _, other := range []string{"Math.max", "({})", "new Proxy(function () {}, {})"} {
		o := object(t, rt, other)
		if l.ProgramOf(o) != nil || l.SetSource(o, "x") {
			t.Errorf("%s is a JavaScript function", other)
		}
	}
	if !l.IsClass(object(t, rt, "(class {})")) || l.IsClass(object(t, rt, "(function () {})")) {
		t.Error("a class is not told from a function")
	}
}

// A function that becomes a method is no constructor any more and does what it did.
func TestBecomeMethod(t *testing.T) {
	l, rt := layout(t), goja.New()
	f := object(t, rt, "var f = function (a, b) { return [this.x, a, b].join() }; f")
	m := object(t, rt, "({ m() {} }).m")
	l.BecomeMethod(f, m)
	l.BecomeMethod(m, m)
	if !l.SameKind(f, m) {
		t.Error("it is of another kind")
	}
	v, err := rt.RunString(
		`let e; try { new f() } catch (x) { e = x.name } [f.call({ x: 1 }, 2, 3), e, f.length, f.name].join(" ")`)
	if err != nil || v.String() != "1,2,3 TypeError 2 f" {
		t.Errorf("%v, %v", v, err)
	}
}
