package ecma

import (
	"slices"

	"github.com/dop251/goja"
)

// nativeCall is a function of goja's.
type nativeCall = func(goja.FunctionCall) goja.Value

// installArguments mends what goja's built-ins make of two arguments: of the name of a minus sign, in which they look
// for a number, and of numbers from 2^63 on, whose lowest 32 bits they lose.
func (e *Engine) installArguments() {
	object, reflect, proto := e.object("Object"), e.object("Reflect"), e.object("Object", "prototype")
	for _, name := range []string{"hasOwnProperty", "propertyIsEnumerable"} {
		e.wrap(proto, name, func(call goja.FunctionCall, next nativeCall) goja.Value {
			if o := e.minusOf(call.This, call.Argument(0)); o != nil {
				return e.in.Minus(o, func() goja.Value {
					return next(goja.FunctionCall{This: o, Arguments: call.Arguments})
				})
			}
			return next(call)
		})
	}
	of := func(call goja.FunctionCall, next nativeCall) goja.Value {
		if o := e.minusOf(call.Argument(0), call.Argument(1)); o != nil {
			args := append([]goja.Value{o}, call.Arguments[1:]...)
			return e.in.Minus(o, func() goja.Value {
				return next(goja.FunctionCall{This: call.This, Arguments: args})
			})
		}
		return next(call)
	}
	ofObject := func(call goja.FunctionCall, next nativeCall) goja.Value {
		if _, ok := call.Argument(0).(*goja.Object); !ok {
			return next(call) // which refuses a text
		}
		return of(call, next)
	}
	e.wrap(object, "hasOwn", of)
	e.wrap(object, "getOwnPropertyDescriptor", of)
	e.wrap(object, "defineProperty", ofObject)
	for _, name := range []string{"get", "set", "has", "deleteProperty", "defineProperty",
		"getOwnPropertyDescriptor"} {
		e.wrap(reflect, name, ofObject)
	}

	low := func(from, to int) func(goja.FunctionCall, nativeCall) goja.Value {
		return func(call goja.FunctionCall, next nativeCall) goja.Value {
			call.Arguments = e.lowBits(call.Arguments, from, to)
			return next(call)
		}
	}
	const all = 1 << 20
	e.wrap(e.object("Math"), "imul", low(0, 2))
	e.wrap(e.object("Math"), "clz32", low(0, 1))
	e.wrap(e.object("String"), "fromCharCode", low(0, all))
	view := e.object("DataView", "prototype")
	for _, name := range []string{"setInt8", "setUint8", "setInt16", "setUint16", "setInt32", "setUint32"} {
		e.wrap(view, name, low(1, 2))
	}
	e.lowElements()
}

// lowElements has the same done to what becomes elements of typed arrays.
func (e *Engine) lowElements() {
	typed := e.object("Uint8Array").Prototype().Get("prototype").(*goja.Object)
	for _, name := range []string{"fill", "set"} {
		e.wrap(typed, name, func(call goja.FunctionCall, next nativeCall) goja.Value {
			if o, ok := call.This.(*goja.Object); ok && len(call.Arguments) > 0 && e.in.TakesLowBits(o) {
				args := append([]goja.Value(nil), call.Arguments...)
				if low, ok := e.in.LowBits(args[0]); ok {
					args[0] = low
				} else if list := e.lowList(args[0]); list != nil {
					args[0] = list
				}
				call.Arguments = args
			}
			return next(call)
		})
	}
	var constructors []goja.Value
	e.wrap(e.object("Uint8Array").Prototype(), "from", func(call goja.FunctionCall, next nativeCall) goja.Value {
		if len(call.Arguments) == 1 && slices.Contains(constructors, call.This) {
			if list := e.lowList(call.Arguments[0]); list != nil {
				call.Arguments = []goja.Value{list}
			}
		}
		return next(call)
	})
	for _, name := range []string{"Int8Array", "Uint8Array", "Int16Array", "Uint16Array", "Int32Array",
		"Uint32Array"} {
		c := e.object(name)
		constructors = append(constructors, c)
		n, _ := e.in.Native(c)
		construct := *n.Construct
		*n.Construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
			if len(args) > 0 {
				if list := e.lowList(args[0]); list != nil {
					args = []goja.Value{list}
				}
			}
			return construct(args, newTarget)
		}
	}
}

// minusOf is an object, or what a text becomes, if the key is the name of a minus sign; else it is nil.
func (e *Engine) minusOf(of, key goja.Value) *goja.Object {
	if !e.in.IsMinus(key) {
		return nil
	}
	switch v := of.(type) {
	case *goja.Object:
		return v
	case goja.String:
		return v.ToObject(e.rt)
	}
	return nil
}

// lowBits converts some arguments to numbers whose lowest bits goja finds.
func (e *Engine) lowBits(args []goja.Value, from, to int) []goja.Value {
	out := args
	for i := from; i < min(len(args), to); i++ {
		v, converted := args[i], false
		switch v.(type) {
		case *goja.Object, goja.String:
			v, converted = e.rt.ToValue(e.b.ToNumber(v)), true
		}
		low, ok := e.in.LowBits(v)
		if !ok && !converted {
			continue
		}
		if &out[0] == &args[0] {
			out = append([]goja.Value(nil), args...)
		}
		if out[i] = v; ok {
			out[i] = low
		}
	}
	return out
}

// lowList is a list of such numbers for one that becomes a typed array of integers, nil if that will do.
func (e *Engine) lowList(v goja.Value) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	list, _ := e.in.Whole(o)
	for _, v := range list {
		if _, ok := e.in.LowBits(v); !ok {
			continue
		}
		out := make([]any, len(list))
		for i, v := range list {
			out[i] = v
			if low, ok := e.in.LowBits(v); ok {
				out[i] = low
			}
		}
		return e.rt.NewArray(out...)
	}
	return nil
}

// wrap puts f around a built-in method; next is what it was.
func (e *Engine) wrap(o *goja.Object, name string, f func(call goja.FunctionCall, next nativeCall) goja.Value) {
	n, ok := e.in.Native(o.Get(name).(*goja.Object))
	if !ok {
		panic("ecma: goja has no built-in " + name)
	}
	next := *n.Call
	*n.Call = func(call goja.FunctionCall) goja.Value { return f(call, next) }
}
