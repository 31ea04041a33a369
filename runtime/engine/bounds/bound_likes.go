package bounds

import (
	"math"

	"github.com/dop251/goja"
)

// goja's methods of Array walk over as many elements as an array-like says that it has, and take as much memory. An
// interrupt reaches them where a lookup meets the end of a chain of prototypes ([gojainternals.Layout.Poll]). So an
// object without a prototype is made to poll itself. One that cannot is handed over as a proxy, which polls.

// reserving are the methods of Array that make an array as long as their receiver.
var reserving = map[string]bool{
	"map": true, "slice": true, "splice": true, "filter": false, "copyWithin": false, "every": false,
	"fill": false, "find": false,
	"findIndex": false, "findLast": false, "findLastIndex": false, "flatMap": false, "forEach": false,
	"includes": false, "indexOf": false,
	"lastIndexOf": false, "pop": false, "push": false, "reduce": false, "reduceRight": false, "reverse": false,
	"shift": false, "some": false,
	"unshift": true, "toSorted": true, "toReversed": true, "with": true, "toSpliced": true, "sort": false,
	"flat": false, "toLocaleString": false,
}

// boundLikes bounds what array-likes without a prototype take. It comes after boundArrays, whose methods it wraps.
func (x *Bounds) boundLikes() {
	proto := x.b.Object("Array", "prototype")
	for name, reserves := range reserving {
		if f, ok := proto.Get(name).(*goja.Object); !ok {
			continue
		} else if _, native := x.in.Native(f); !native {
			continue
		}
		x.wrap(proto, name, func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
			o, ok := call.This.(*goja.Object)
			if !ok {
				return next(call)
			}
			if list, dense := x.in.Elements(o); dense {
				if reserves && len(list) > wide {
					x.reserve(int64(len(list)) * valueSize)
				}
				return x.careful(next, call)
			}
			length, _ := x.arrayLike(o)
			if !(length > wide) {
				return x.careful(next, call)
			}
			if reserves && o.ClassName() == "Array" {
				x.reserve(int64(math.Min(length, math.MaxUint32)) * valueSize)
			}
			if x.in.Polls(o) {
				return next(call)
			}
			call.This = x.stepping(o)
			if v := next(call); v != call.This {
				return v
			}
			return o
		})
	}
	x.wrap(proto, "concat", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		args := call.Arguments
		for i, v := range args {
			if o, ok := v.(*goja.Object); ok && !x.poll(o) {
				if spread := o.GetSymbol(goja.SymIsConcatSpreadable); spread != nil && spread.ToBoolean() {
					args = append([]goja.Value(nil), args...)
					args[i] = x.stepping(o)
				}
			}
		}
		return next(goja.FunctionCall{This: call.This, Arguments: args})
	})
	x.wrap(x.b.Object("String"), "raw", func(call goja.FunctionCall,
		next func(goja.FunctionCall) goja.Value) goja.Value {
		if o, ok := call.Argument(0).(*goja.Object); ok {
			if raw, ok := o.Get("raw").(*goja.Object); ok {
				x.poll(raw)
			}
		}
		return next(call)
	})
	x.stepped, _ = x.in.Native(x.b.Object("Proxy"))
	x.pollBare()
}

// pollBare makes objects poll that are made without a prototype, or lose it.
func (x *Bounds) pollBare() {
	bare := func(o, proto goja.Value) {
		if o, ok := o.(*goja.Object); ok && goja.IsNull(proto) && o.Prototype() == nil {
			x.in.PollAt(o)
		}
	}
	object, reflect := x.b.Object("Object"), x.b.Object("Reflect")
	x.wrap(object, "create", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		v := next(call)
		bare(v, call.Argument(0))
		return v
	})
	for _, on := range []*goja.Object{object, reflect} {
		x.wrap(on, "setPrototypeOf", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
			v := next(call)
			bare(call.Argument(0), call.Argument(1))
			return v
		})
	}
}

// poll makes lookups in o look for an interrupt at the end of the chain of prototypes. It reports false if they cannot.
func (x *Bounds) poll(o *goja.Object) bool {
	if _, dense := x.in.Elements(o); dense {
		return true
	}
	return x.in.Polls(o)
}

// stepping is o behind a proxy without traps.
func (x *Bounds) stepping(o *goja.Object) *goja.Object {
	construct := *x.stepped.Construct
	return construct([]goja.Value{o, x.rt.CreateObject(nil)}, nil)
}
