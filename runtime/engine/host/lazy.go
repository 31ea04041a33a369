package host

import "github.com/dop251/goja"

// Lazy defines a global function or class that is made on first use, and replaces itself with a plain data property
// then: writable, configurable, not enumerable.
func (h *Host) Lazy(name string, make func() goja.Value) { h.lazily(name, goja.FLAG_FALSE, make) }

// LazyObject is Lazy for an object, which is enumerable as on the platform.
func (h *Host) LazyObject(name string, make func() goja.Value) { h.lazily(name, goja.FLAG_TRUE, make) }

func (h *Host) lazily(name string, enumerable goja.Flag, make func() goja.Value) {
	if h.unmade == nil {
		h.unmade = map[string]bool{}
		h.makeForDescriptors()
	}
	h.unmade[name] = true
	g := h.Runtime().GlobalObject()
	define := func(v goja.Value) {
		delete(h.unmade, name)
		_ = g.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, enumerable)
	}
	get := h.Realm.Function("get "+name, func(goja.FunctionCall) goja.Value {
		v := make()
		define(v)
		return v
	})
	set := h.Realm.Function("set "+name, func(fc goja.FunctionCall) goja.Value {
		define(fc.Argument(0))
		return goja.Undefined()
	})
	_ = g.DefineAccessorProperty(name, get, set, goja.FLAG_TRUE, enumerable)
}

// makeForDescriptors has the functions that describe properties make a lazy global first: a script sees the plain
// property that it is on the platform, and not how it is made here.
func (h *Host) makeForDescriptors() {
	rt := h.Runtime()
	global := rt.GlobalObject()
	for _, place := range [][2]string{{"Object", "getOwnPropertyDescriptor"}, {"Reflect", "getOwnPropertyDescriptor"},
		{"Object", "getOwnPropertyDescriptors"}} {
		holder := rt.Get(place[0]).ToObject(rt)
		describe, ok := goja.AssertFunction(holder.Get(place[1]))
		if !ok {
			panic("host: " + place[0] + "." + place[1] + " is missing")
		}
		all := place[1] == "getOwnPropertyDescriptors"
		fn := h.Realm.Function(place[1], func(call goja.FunctionCall) goja.Value {
			switch {
			case call.Argument(0) != goja.Value(global):
			case all:
				for name := range h.unmade {
					global.Get(name)
				}
			default:
				if name, ok := call.Argument(1).(goja.String); ok && h.unmade[name.String()] {
					global.Get(name.String())
				}
			}
			res, err := describe(call.This, call.Arguments...)
			if err != nil {
				panic(err)
			}
			return res
		})
		length := 2
		if all {
			length = 1
		}
		_ = fn.DefineDataProperty("length", rt.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		_ = holder.DefineDataProperty(place[1], fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
}
