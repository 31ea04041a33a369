package gojainternals

import (
	"runtime"
	"testing"

	"github.com/dop251/goja"
)

// An object that carries a value is the same object in every other respect, and its heirs carry nothing.
func TestState(t *testing.T) {
	l, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ js, want string }{
		{`o.a + o.b`, "3"},
		{`o.c = 3; Object.keys(o).join()`, "a,c"},
		{`Reflect.ownKeys(o).join()`, "a,b"},
		{`delete o.a; o.a`, "undefined"},
		{`Object.getPrototypeOf(o) === C.prototype && o instanceof C`, "true"},
		{`C.p(o)`, "7"},
		{`JSON.stringify(o)`, `{"a":1}`},
		{`JSON.stringify({ ...o })`, `{"a":1}`},
		{`Object.isFrozen(Object.freeze(o)) && (o.a = 5, o.a)`, "1"},
		{`new WeakMap([[o, 1]]).get(o) + new Set([o, o]).size`, "2"},
		{`Object.prototype.toString.call(o)`, "[object Object]"},
		{`for (const x in Object.create(o)) x`, "a"},
		{`typeof o + Array.isArray(o)`, "objectfalse"},
		{`structured = [o]; structured[0] === o`, "true"},
	} {
		rt := goja.New()
		v, err := rt.RunString(`class C { #p = 7; a = 1; static p(o) { return o.#p } }
			globalThis.o = new C(); Object.defineProperty(o, "b", { value: 2 }); globalThis.structured = 0; o`)
		if err != nil {
			t.Fatal(err)
		}
		o := v.(*goja.Object)
		if _, ok := l.State(o); ok {
			t.Error("an object carries something by itself")
		}
		if !l.SetState(o, "first") || !l.SetState(o, t) {
			t.Fatal("a plain object takes nothing")
		}
		runtime.GC()
		if got, err := rt.RunString(c.js); err != nil || got.String() != c.want {
			t.Errorf("%s: %v %v, want %s", c.js, got, err, c.want)
		}
		if state, ok := l.State(o); !ok || state != any(t) {
			t.Errorf("%s: carries %v %v", c.js, state, ok)
		}
		heir := rt.CreateObject(o)
		if _, ok := l.State(heir); ok {
			t.Error("an heir carries something")
		}
		if l.SetState(rt.NewArray(), 1) || l.SetState(rt.NewTypeError(), 1) {
			t.Error("an object of another kind takes a value")
		}
	}
}
