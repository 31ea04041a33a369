package worker

import (
	"github.com/dop251/goja"
)

// Binding is one entry of env.
type Binding interface {
	// Name is the property of env.
	Name() string
	// Install makes the value. It is called on the loop, once for each isolate, after all classes are installed and
	// before the script runs.
	Install(iso *Isolate) (goja.Value, error)
}

// Var is a plain variable or secret: a string, or any value that JSON can hold.
type Var struct {
	Key string
	// JSON is the value as JSON text.
	JSON string
}

// Name implements [Binding].
func (v Var) Name() string { return v.Key }

// Install implements [Binding].
func (v Var) Install(iso *Isolate) (goja.Value, error) {
	parse, _ := goja.AssertFunction(iso.Runtime().Get("JSON").ToObject(iso.Runtime()).Get("parse"))
	return parse(nil, iso.Runtime().ToValue(v.JSON))
}

// Unserved stands for a binding of a kind that is not served here: every use of it throws an error that names it.
type Unserved struct {
	Key, Kind string
}

// Name implements [Binding].
func (u Unserved) Name() string { return u.Key }

// Install implements [Binding].
func (u Unserved) Install(iso *Isolate) (goja.Value, error) {
	fail := func() {
		iso.Realm.ThrowError("Error", "Binding %s (%s) is not served by eddy.", u.Key, u.Kind)
	}
	rt := iso.Runtime()
	p := rt.NewProxy(rt.CreateObject(nil), &goja.ProxyTrapConfig{
		// then must stay undefined: an async function that returns the binding does not use it.
		Get: func(target *goja.Object, property string, _ goja.Value) goja.Value {
			if v := target.Get(property); v != nil {
				return v // a test has put it there
			}
			if property == "then" || property == "toJSON" || property == "constructor" {
				return goja.Undefined()
			}
			fail()
			return nil
		},
		Has: func(_ *goja.Object, property string) bool { return property != "then" },
	})
	return rt.ToValue(p), nil
}
