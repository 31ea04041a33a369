package bounds

import (
	"math"
	"slices"

	"eddy/runtime/engine/builtin"

	"github.com/dop251/goja"
)

// wide is the length from which on an array-like is not handed to goja as it is.
const wide = 1 << 20

// arrayLike says how long the receiver of an array's method is. dense tells that it is an array which keeps all its
// elements, so that they are in memory already. Asking must not be seen: known is false where a script's function would
// have to say it, as the method itself asks for once.
func (x *Bounds) arrayLike(o *goja.Object) (length float64, dense, known bool) {
	if list, ok := x.in.Elements(o); ok {
		return float64(len(list)), true, true
	}
	v, known := x.peek(o, "length", x.lengthKey)
	if _, object := v.(*goja.Object); object || !known {
		return 0, false, false
	}
	if _, symbol := v.(*goja.Symbol); symbol || v == nil || goja.IsBigInt(v) {
		return 0, false, true
	}
	return math.Trunc(x.b.ToNumber(v)), false, true
}

// peek is a property, nil if there is none. known is false if an accessor or a proxy decides what it is; they are not
// asked.
func (x *Bounds) peek(o *goja.Object, name string, key goja.Value) (v goja.Value, known bool) {
	if name != "" {
		if v, known = x.in.Held(o, name); known {
			return v, true
		}
	}
	for ; o != nil; o = o.Prototype() {
		if o.ExportType() == proxyType {
			return nil, false
		}
		if has, ok := x.b.Call(x.describe, o, key).(*goja.Object); ok {
			return has.Get("value"), has.Get("get") == nil
		}
	}
	return nil, true
}

// lengthOf is LengthOfArrayLike.
func (x *Bounds) lengthOf(o *goja.Object) float64 {
	if list, ok := x.in.Elements(o); ok {
		return float64(len(list))
	}
	v := o.Get("length")
	if v == nil {
		return 0
	}
	if length := math.Trunc(x.b.ToNumber(v)); length > 0 {
		return math.Min(length, maxIndex)
	}
	return 0
}

// boundArrays bounds the methods of Array that take as much memory as an array-like says that it is long, or that
// nest as deep as its elements do.
func (x *Bounds) boundArrays() {
	proto := x.b.Object("Array", "prototype")
	x.wrap(proto, "join", x.join)
	twins, err := embedded.Run(x.b, "array.js", x.b.MarkNative, x.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		_, ok := goja.AssertConstructor(call.Argument(0))
		return x.rt.ToValue(ok)
	}))
	builtin.Must(err)
	twin := func(name string) goja.Callable {
		f, ok := goja.AssertFunction(twins.(*goja.Object).Get(name))
		if !ok {
			panic("bounds: array.js has no " + name)
		}
		return f
	}
	run := func(f goja.Callable, call goja.FunctionCall) goja.Value {
		v, err := f(call.This, call.Arguments...)
		if err != nil {
			panic(err)
		}
		return v
	}
	flat, sort, compare := twin("flat"), twin("sort"), twin("compare")
	x.each, x.entries = twin("each"), twin("entries")
	x.wrap(proto, "flat", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		if len(call.Arguments) == 0 || goja.IsUndefined(call.Argument(0)) || missing(call.This) {
			return next(call)
		}
		depth := x.b.ToNumber(call.Argument(0))
		if !(depth > 1) {
			return next(goja.FunctionCall{This: call.This, Arguments: []goja.Value{x.rt.ToValue(depth)}})
		}
		return run(flat, goja.FunctionCall{This: call.This, Arguments: []goja.Value{x.rt.ToValue(depth)}})
	})
	x.wrap(proto, "sort", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		o, ok := call.This.(*goja.Object)
		if !ok || noComparison(call.Argument(0)) {
			return next(call)
		}
		length, dense, known := x.arrayLike(o)
		switch {
		case !known || !dense && length > wide:
			return run(sort, call)
		case x.endless(call.Argument(0)) && (length > wide/16 || x.longIn(o)):
			// goja sorts without ever looking for an interrupt; a function of a script does.
			f, err := compare(goja.Undefined(), call.Argument(0))
			if err != nil {
				panic(err)
			}
			return next(goja.FunctionCall{This: call.This, Arguments: []goja.Value{f}})
		}
		if f, ok := call.Argument(0).(*goja.Object); ok && dense {
			if compare, ok := x.in.Call(f); ok {
				if x.whole(o) {
					return x.sortCopy(o, compare)
				}
				return run(sort, call)
			}
		}
		return next(call)
	})
	typed := x.rt.GlobalObject().Get("Uint8Array").(*goja.Object).Prototype().Get("prototype").(*goja.Object)
	x.wrap(typed, "sort", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		if o, ok := call.This.(*goja.Object); ok && x.endless(call.Argument(0)) {
			if n, _ := x.view(o); n > wide {
				f, err := compare(goja.Undefined(), call.Argument(0), x.rt.ToValue(true))
				if err != nil {
					panic(err)
				}
				return next(goja.FunctionCall{This: call.This, Arguments: []goja.Value{f}})
			}
		}
		return next(call)
	})
	for _, name := range []string{"toSorted", "toReversed", "with", "toSpliced"} {
		f, ok := proto.Get(name).(*goja.Object)
		n, native := x.in.Native(f)
		if !ok || !native {
			continue
		}
		next, copied := *n.Call, twin(name)
		*n.Call = func(call goja.FunctionCall) goja.Value {
			if name == "toSorted" && noComparison(call.Argument(0)) {
				return next(call)
			}
			if o, ok := call.This.(*goja.Object); ok {
				if list, dense := x.in.Elements(o); !dense || !x.whole(o) {
					x.reserve(int64(len(list)) * valueSize)
					return run(copied, call)
				}
				if name == "toSorted" && x.endless(call.Argument(0)) && x.longIn(o) {
					f, err := compare(goja.Undefined(), call.Argument(0))
					if err != nil {
						panic(err)
					}
					call = goja.FunctionCall{This: o, Arguments: []goja.Value{f}}
				} else if name == "toSorted" {
					if sorted := x.sorted(o, call.Argument(0)); sorted != nil {
						return sorted
					}
				}
			}
			return next(call)
		}
	}
	from := twin("from")
	x.wrap(
		x.b.Object("Array"),
		"from",
		func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
			if o, ok := call.Argument(0).(*goja.Object); ok {
				if _, dense := x.in.Elements(o); dense {
					return next(call)
				}
				iterator, known := x.peek(o, "", goja.SymIterator)
				if known && iterator != nil && !missing(iterator) {
					return next(call)
				}
				if length, _, known2 := x.arrayLike(o); !known || !known2 || length > wide {
					return run(from, call)
				}
			}
			return next(call)
		},
	)
}

// whole tells whether an array has all its elements in memory and no holes.
func (x *Bounds) whole(o *goja.Object) bool {
	list, _ := x.in.Elements(o)
	return !slices.Contains(list, nil)
}

// sortCopy sorts the elements apart from the array, which the comparison function may change meanwhile. Undefined ones
// come last, and the function does not see them.
func (x *Bounds) sortCopy(o *goja.Object, call func(goja.FunctionCall) goja.Value) goja.Value {
	elements, _ := x.in.Elements(o)
	list := make([]goja.Value, 0, len(elements))
	for i := range elements {
		if v := x.element(o, i); !goja.IsUndefined(v) {
			list = append(list, v)
		}
	}
	sorted := timSort{list: list, less: func(a, b goja.Value) bool {
		v := call(goja.FunctionCall{This: goja.Undefined(), Arguments: []goja.Value{a, b}})
		if goja.IsNumber(v) {
			return v.ToFloat() < 0
		}
		return x.b.ToNumber(v) < 0
	}}
	sorted.sort()
	for len(list) < len(elements) {
		list = append(list, goja.Undefined())
	}
	if now, whole := x.in.Whole(o); whole && len(now) == len(list) {
		copy(now, list)
		return o
	}
	for i, v := range list {
		if err := o.Set(x.rt.ToValue(i).String(), v); err != nil {
			panic(err)
		}
	}
	return o
}

// sorted is a sorted copy of an array, nil if goja must make it.
func (x *Bounds) sorted(o *goja.Object, compare goja.Value) goja.Value {
	f, ok := compare.(*goja.Object)
	if !ok {
		return nil
	}
	call, ok := x.in.Call(f)
	elements, whole := x.in.Whole(o)
	if !ok || !whole {
		return nil
	}
	list := make([]any, len(elements))
	for i, v := range elements {
		list[i] = v
	}
	return x.sortCopy(x.rt.NewArray(list...), call)
}

// noComparison tells what goja refuses as a comparison function, before it looks at the array.
func noComparison(v goja.Value) bool {
	_, callable := goja.AssertFunction(v)
	return !callable && !goja.IsUndefined(v)
}

// endless tells whether an interrupt cannot end a sort by this comparison function: there is none, or it is native.
func (x *Bounds) endless(compare goja.Value) bool {
	f, ok := compare.(*goja.Object)
	if !ok {
		return goja.IsUndefined(compare)
	}
	_, native := x.in.Native(f)
	return native || x.in.BoundCall(f) != nil
}

// join is Array.prototype.join. An array that is being joined already counts for nothing, as in V8.
func (x *Bounds) join(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
	if missing(call.This) {
		return next(call)
	}
	o := call.This.ToObject(x.rt)
	if _, ok := x.joining[o]; ok {
		return x.rt.ToValue("")
	}
	x.step()
	if x.joining == nil {
		x.joining = map[*goja.Object]struct{}{}
	}
	x.joining[o] = struct{}{}
	defer delete(x.joining, o)
	length := x.lengthOf(o)
	var separator goja.String = x.comma
	if s := call.Argument(0); !goja.IsUndefined(s) {
		separator = x.b.ToString(s)
	}
	if !(length > 0) {
		return x.rt.ToValue("")
	}
	if length > math.MaxUint32 {
		x.b.Throw("TypeError", "Invalid array length")
	}
	size := textSize{x: x}
	size.add(int64((length - 1) * float64(separator.Length())))
	var out goja.StringBuilder
	for i := range int(length) {
		if i > 0 {
			out.WriteString(separator)
		}
		if i%1024 == 0 {
			x.in.RaiseInterrupt(x.rt)
		}
		v := x.element(o, i)
		if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
			continue
		}
		x.digits(v, 10)
		s := x.b.ToString(v)
		size.add(int64(s.Length()))
		out.WriteString(s)
	}
	return out.String()
}

// element is o[i]. It makes a property name of the index only if it must.
func (x *Bounds) element(o *goja.Object, i int) goja.Value {
	if list, ok := x.in.Elements(o); ok && i < len(list) {
		switch v := list[i].(type) {
		case goja.String, *goja.Object:
			return v
		}
		if goja.IsNumber(list[i]) {
			return list[i]
		}
	}
	return o.Get(x.rt.ToValue(i).String())
}
