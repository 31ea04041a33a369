package ecma

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// slots keeps a Go value in each object that a Go class constructs. Scripts do not see it: it is in a private field,
// which js/slots.js declares.
type slots struct {
	setter, getter goja.Callable
	e              *Engine
}

// slotValue carries a Go value through JavaScript.
type slotValue struct{ v any }

func (e *Engine) newSlots() *slots {
	v, err := e.run("slots.js")
	if err != nil {
		panic(err)
	}
	o := v.(*goja.Object)
	s := &slots{e: e}
	s.setter, _ = goja.AssertFunction(o.Get("set"))
	s.getter, _ = goja.AssertFunction(o.Get("get"))
	return s
}

func (s *slots) set(o *goja.Object, v any) {
	if _, err := s.setter(goja.Undefined(), o, s.e.rt.ToValue(&slotValue{v})); err != nil {
		panic(err)
	}
}

// get returns what set stored, or nil.
func (s *slots) get(v goja.Value) any {
	if _, ok := v.(*goja.Object); !ok {
		return nil
	}
	held, err := s.getter(goja.Undefined(), v)
	if err != nil {
		return nil
	}
	if sv, ok := held.Export().(*slotValue); ok {
		return sv.v
	}
	return nil
}

// class makes a constructor that needs new, puts it on the global object and returns its prototype.
func (e *Engine) class(name string, length int, init func(args []goja.Value, o *goja.Object)) *goja.Object {
	ctor := e.rt.ToValue(func(call goja.ConstructorCall) *goja.Object {
		init(call.Arguments, call.This)
		return nil
	}).(*goja.Object)
	builtin.Must(ctor.DefineDataProperty("name", e.rt.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	builtin.Must(ctor.DefineDataProperty(
		"length", e.rt.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	if n, ok := e.in.Native(ctor); ok {
		*n.Call = func(goja.FunctionCall) goja.Value {
			e.b.Throw("TypeError", "Constructor "+name+" requires 'new'")
			return nil
		}
	}
	proto := ctor.Get("prototype").(*goja.Object)
	builtin.Must(ctor.DefineDataProperty("prototype", proto, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE))
	builtin.Must(proto.DefineDataProperty("constructor", ctor, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	builtin.Must(proto.DefineDataPropertySymbol(
		goja.SymToStringTag, e.rt.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	e.value(e.rt.GlobalObject(), name, ctor)
	return proto
}
