package bounds

import (
	"math"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// goja's methods of Array walk over as many elements as an array-like says that it has, and take as much memory. An
// interrupt reaches them where a lookup meets the end of a chain of prototypes ([gojainternals.Layout.Poll]). So an
// object without a prototype must poll by itself, and one that cannot is handed over behind a proxy, which polls.

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
		sorts := name == "sort" || name == "toSorted"
		x.wrap(proto, name, func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
			o, ok := call.This.(*goja.Object)
			if !ok || sorts && noComparison(call.Argument(0)) {
				return next(call)
			}
			if list, dense := x.in.Elements(o); dense {
				if reserves && len(list) > wide {
					x.reserve(int64(len(list)) * valueSize)
				}
				return x.careful(next, call)
			}
			length, _, known := x.arrayLike(o)
			if known && !(length > wide) {
				return x.careful(next, call)
			}
			if reserves && known && o.ClassName() == "Array" {
				x.reserve(int64(math.Min(length, math.MaxUint32)) * valueSize)
			}
			if x.in.Polls(o) {
				return x.careful(next, call)
			}
			call.This = x.stepping(o)
			if v := next(call); v != call.This {
				return v
			}
			return o
		})
	}
	x.wrap(proto, "concat", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		args, length := call.Arguments, 0
		for _, v := range append([]goja.Value{call.This}, args...) {
			if o, ok := v.(*goja.Object); ok {
				list, _ := x.in.Elements(o)
				length += len(list)
			}
		}
		if length > wide/16 {
			x.reserve(int64(length) * 2 * valueSize) // goja's lists grow by copies
		}
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

// bare makes an object poll if it has no prototype.
func (x *Bounds) bare(v goja.Value) {
	if o, ok := v.(*goja.Object); ok && o.Prototype() == nil && o.ExportType() != gojainternals.ProxyType {
		if !x.in.PollAt(o) {
			x.bareLists = true
		}
	}
}

// pollBare makes objects poll that have no prototype from the start, or lose it.
func (x *Bounds) pollBare() {
	object, reflect := x.b.Object("Object"), x.b.Object("Reflect")
	x.wrap(object, "create", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		v := next(call)
		if goja.IsNull(call.Argument(0)) {
			x.bare(v)
		}
		return v
	})
	for _, on := range []*goja.Object{object, reflect} {
		x.wrap(on, "setPrototypeOf", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
			v := next(call)
			if goja.IsNull(call.Argument(1)) {
				x.bare(call.Argument(0))
			}
			return v
		})
	}
	get, _ := goja.AssertFunction(object.Get("getOwnPropertyDescriptor"))
	accessor := x.b.Call(get, object.Get("prototype"), x.rt.ToValue("__proto__")).(*goja.Object)
	x.wrap(accessor, "set", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		v := next(call)
		if goja.IsNull(call.Argument(0)) {
			x.bare(call.This)
		}
		return v
	})
}

// poll makes lookups in o look for an interrupt at the end of the chain of prototypes. It reports false if they cannot.
func (x *Bounds) poll(o *goja.Object) bool {
	if _, dense := x.in.Elements(o); dense {
		return true
	}
	return x.in.Polls(o)
}

// stepping puts o behind a proxy without traps.
func (x *Bounds) stepping(o *goja.Object) *goja.Object {
	construct := *x.stepped.Construct
	return construct([]goja.Value{o, x.rt.CreateObject(nil)}, nil)
}
