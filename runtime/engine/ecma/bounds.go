package ecma

import (
	"eddy/runtime/engine/gojainternals"

	"github.com/dop251/goja"
)

// goja's built-ins take what lengths they are given, and Go ends the process when an allocation fails or a stack is
// full. So those that can be asked for too much are wrapped: V8's RangeErrors come before the allocation and before the
// recursion.

const (
	// maxStringLength is V8's, in UTF-16 units.
	maxStringLength = 1<<29 - 24
	// maxArguments is about what V8's stack holds; maxList is V8's for the list that they are taken from.
	maxArguments, maxList = 125_000, 1<<27 - 3
	// large is the size in bytes from which an allocation is told to [Options.Reserve] beforehand.
	large = 8 << 20
	// valueSize is what an element of an array takes.
	valueSize = 16
)

// wrap puts f around a built-in method; next is what it was.
func (e *Engine) wrap(o *goja.Object, name string, f func(call goja.FunctionCall,
	next func(goja.FunctionCall) goja.Value) goja.Value) {
	n, ok := e.in.Native(o.Get(name).(*goja.Object))
	if !ok {
		panic("ecma: goja has no built-in " + name)
	}
	next := *n.Call
	*n.Call = func(call goja.FunctionCall) goja.Value { return f(call, next) }
}

// step is taken by built-ins that can call each other without a function of the script's between them.
func (e *Engine) step() {
	e.steps++
	if e.steps%256 == 0 && gojainternals.DeepStack() {
		e.overflow()
	}
}

// reserve says that so many bytes are about to be taken, and throws if that is too much.
func (e *Engine) reserve(bytes int64) {
	if bytes >= large && e.opts.Reserve != nil {
		e.opts.Reserve(uint64(bytes))
	}
	e.in.RaiseInterrupt(e.rt)
}

// stringOf throws if a string of so many units cannot be.
func (e *Engine) stringOf(units int64) {
	if units > maxStringLength || units < 0 {
		e.throw("RangeError", "Invalid string length")
	}
	if units >= large {
		e.reserve(units)
	}
}

// textSize adds up what a text will have. Larger ones are reserved whenever they have doubled.
type textSize struct {
	e        *Engine
	units    int64
	reserved int64
}

func (t *textSize) add(units int64) {
	t.units += units
	if t.units < large {
		return
	}
	if t.units > maxStringLength {
		t.e.stringOf(t.units)
	}
	if t.units >= 2*t.reserved {
		t.reserved = t.units
		t.e.reserve(t.units)
	}
}

func (e *Engine) installBounds() error {
	e.boundStrings()
	e.boundArrays()
	e.boundCalls()
	e.boundBigInts()
	for path, names := range map[string][]string{
		"Object": {"toLocaleString"}, "Error": {"toString"}, "Date": {"toJSON"}, "RegExp": {"toString"},
		"Array": {"toString", "toLocaleString", "push", "pop", "shift", "unshift", "reverse", "concat", "slice",
			"splice", "indexOf", "includes", "at"},
		"String": {"trim", "toString", "valueOf", "charAt", "indexOf", "slice", "split", "at", "toLowerCase",
			"toUpperCase", "includes", "startsWith", "search", "match"},
	} {
		proto := e.object(path, "prototype")
		for _, name := range names {
			f, ok := proto.Get(name).(*goja.Object)
			if n, native := e.in.Native(f); ok && native {
				next := *n.Call
				*n.Call = func(call goja.FunctionCall) goja.Value {
					if _, ok := call.This.(*goja.Object); ok {
						e.step()
					}
					return next(call)
				}
			}
		}
	}
	return nil
}

// boundCalls bounds lists of arguments that come from array-likes, and functions bound to each other.
func (e *Engine) boundCalls() {
	list := func(v goja.Value) {
		o, ok := v.(*goja.Object)
		if !ok {
			return
		}
		length := 0.0
		if list, ok := e.in.Elements(o); ok {
			length = float64(len(list))
		} else if v := o.Get("length"); v != nil {
			length = e.toNumber(v)
		}
		switch {
		case length > maxList:
			e.throw("RangeError", "Invalid array length")
		case length > maxArguments:
			e.overflow()
		}
	}
	function, reflect := e.object("Function", "prototype"), e.object("Reflect")
	e.wrap(function, "apply", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		e.step()
		list(call.Argument(1))
		return next(call)
	})
	e.wrap(reflect, "apply", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		e.step()
		list(call.Argument(2))
		return next(call)
	})
	e.wrap(reflect, "construct", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		e.step()
		list(call.Argument(1))
		return next(call)
	})
	e.wrap(function, "call", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		e.step()
		return next(call)
	})
	e.wrap(function, "bind", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		f := next(call)
		if made := e.in.BoundCall(f.(*goja.Object)); made != nil {
			bound := *made
			*made = func(call goja.FunctionCall) goja.Value {
				e.step()
				return bound(call)
			}
		}
		return f
	})
}
