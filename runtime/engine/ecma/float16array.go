package ecma

import (
	"strconv"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// installFloat16Array adds Float16Array, whose instances are typed arrays of goja with an element type of our own.
func (e *Engine) installFloat16Array() error {
	typed := e.object("Uint8Array").Prototype()
	typedProto := typed.Get("prototype").(*goja.Object)
	set, _ := goja.AssertFunction(typedProto.Get("set"))
	arrayFrom, _ := goja.AssertFunction(e.object("Array").Get("from"))
	u16, _ := e.in.Native(e.object("Uint16Array"))
	allocate := *u16.Construct

	ctor := e.rt.ToValue(func(goja.ConstructorCall) *goja.Object { return nil }).(*goja.Object)
	n, ok := e.in.Native(ctor)
	if !ok {
		panic("ecma: a constructor from Go is not a native function")
	}
	*n.Call = func(goja.FunctionCall) goja.Value {
		e.b.Throw("TypeError", "Constructor Float16Array requires 'new'")
		return nil
	}
	*n.Construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
		if newTarget == nil {
			newTarget = ctor
		} else if newTarget != ctor {
			if _, ok := newTarget.Get("prototype").(*goja.Object); !ok {
				newTarget = ctor
			}
		}
		source, isObject := builtin.Argument(args, 0).(*goja.Object)
		_, isBuffer := e.isBuffer(builtin.Argument(args, 0))
		if !isObject || isBuffer {
			o := allocate(args, newTarget)
			e.in.BecomeFloat16(o, ctor)
			return o
		}
		isTyped := e.in.IsTypedArray(source)
		var length goja.Value
		if isTyped {
			length = source.Get("length")
		} else {
			list, err := arrayFrom(goja.Undefined(), source)
			if err != nil {
				panic(err)
			}
			source = list.(*goja.Object)
			length = source.Get("length")
		}
		o := allocate([]goja.Value{length}, newTarget)
		e.in.BecomeFloat16(o, ctor)
		if isTyped {
			if _, err := set(o, source); err != nil {
				panic(err)
			}
			return o
		}
		for i := range int(length.ToInteger()) {
			if i%1024 == 0 {
				e.in.RaiseInterrupt(e.rt)
			}
			key := strconv.Itoa(i)
			if err := o.Set(key, source.Get(key)); err != nil {
				panic(err)
			}
		}
		return o
	}

	proto := e.rt.CreateObject(typedProto)
	builtin.Must(ctor.SetPrototype(typed))
	no := goja.FLAG_FALSE
	builtin.Must(ctor.DefineDataProperty("name", e.rt.ToValue("Float16Array"), no, goja.FLAG_TRUE, no))
	builtin.Must(ctor.DefineDataProperty("length", e.rt.ToValue(3), no, goja.FLAG_TRUE, no))
	builtin.Must(ctor.DefineDataProperty("prototype", proto, no, no, no))
	e.value(proto, "constructor", ctor)
	for _, o := range []*goja.Object{ctor, proto} {
		builtin.Must(o.DefineDataProperty("BYTES_PER_ELEMENT", e.rt.ToValue(2), no, no, no))
	}
	e.value(e.rt.GlobalObject(), "Float16Array", ctor)
	return nil
}
