package bounds

import (
	"math"
	"runtime"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// maxElements is V8's bound on typed arrays that are made of others.
const maxElements = 1 << 27

// elementSizes are those of the typed arrays.
var elementSizes = map[string]int64{
	"Int8Array": 1, "Uint8Array": 1, "Uint8ClampedArray": 1, "Int16Array": 2, "Uint16Array": 2, "Int32Array": 4,
	"Uint32Array":  4,
	"Float32Array": 4, "Float64Array": 8, "BigInt64Array": 8, "BigUint64Array": 8,
}

// boundBuffers tells reserve what buffers and views are about to allocate.
func (x *Bounds) boundBuffers() {
	for name, size := range elementSizes {
		n, ok := x.in.Native(x.b.Object(name))
		if !ok {
			continue
		}
		construct := *n.Construct
		*n.Construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
			switch v := builtin.Argument(args, 0).(type) {
			case *goja.Object:
				if !x.in.IsArrayBuffer(v) {
					x.source(v, size)
				}
			default:
				if goja.IsNumber(v) {
					x.reserve(size * int64(math.Min(math.Max(v.ToFloat(), 0), 1<<40)))
				}
			}
			return construct(args, newTarget)
		}
	}
	buffer := x.b.Object("ArrayBuffer")
	if n, ok := x.in.Native(buffer); ok {
		construct := *n.Construct
		*n.Construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
			if v := builtin.Argument(args, 0); goja.IsNumber(v) {
				x.reserve(int64(math.Min(math.Max(v.ToFloat(), 0), 1<<40)))
			}
			return construct(args, newTarget)
		}
	}
	x.wrap(buffer.Get("prototype").(*goja.Object), "slice", func(call goja.FunctionCall,
		next func(goja.FunctionCall) goja.Value) goja.Value {
		if o, ok := call.This.(*goja.Object); ok && x.in.IsArrayBuffer(o) {
			if v := o.Get("byteLength"); v != nil {
				x.reserve(v.ToInteger())
			}
		}
		return next(call)
	})
	typed := x.b.Object("Uint8Array").Prototype()
	x.wrap(typed, "from", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		if o, ok := call.Argument(0).(*goja.Object); ok {
			x.source(o, 8)
		}
		return next(call)
	})
	proto := typed.Get("prototype").(*goja.Object)
	for name, each := range map[string]int64{"join": 4, "toString": 4, "toLocaleString": 8, "slice": 8, "map": 8,
		"filter": 8, "toSorted": 8, "toReversed": 8, "with": 8} {
		f, ok := proto.Get(name).(*goja.Object)
		n, native := x.in.Native(f)
		if !ok || !native || name == "toString" { // Array's own, which calls join
			continue
		}
		next := *n.Call
		*n.Call = func(call goja.FunctionCall) goja.Value {
			if w, ok := x.view(call.This); ok {
				if name == "join" {
					separator := int64(1)
					if v := call.Argument(0); !goja.IsUndefined(v) {
						separator = int64(x.b.ToString(v).Length())
					}
					x.stringOf(int64(w) * (separator + 1))
				}
				x.reserve(int64(w) * each)
			}
			return next(call)
		}
	}
}

// view is how many elements a typed array has.
func (x *Bounds) view(v goja.Value) (length int, ok bool) {
	o, ok := v.(*goja.Object)
	if !ok || !x.in.IsTypedArray(o) {
		return 0, false
	}
	w, ok := x.in.Window(o)
	if !ok {
		return 0, false
	}
	return w.Length(), true
}

// source bounds a typed array that is about to be made of an array-like; size is that of an element in bytes.
func (x *Bounds) source(o *goja.Object, size int64) {
	if n, ok := x.view(o); ok {
		x.reserve(int64(n) * size)
		return
	}
	if iterator := o.GetSymbol(goja.SymIterator); iterator != nil && !missing(iterator) {
		return
	}
	length, _ := x.arrayLike(o)
	if length > wide {
		if length > maxElements {
			x.b.Throw("RangeError", "Invalid typed array length: "+x.rt.ToValue(length).String())
		}
		x.reserve(int64(length) * (size + valueSize))
		x.poll(o)
	}
}

// careful calls one of goja's functions that a script's function can make wrong: it relies on what it has read before
// the script changed that. Go's own checks then stop it, and the script gets the error.
func (x *Bounds) careful(next func(goja.FunctionCall) goja.Value, call goja.FunctionCall) goja.Value {
	defer func() {
		switch failed := recover().(type) {
		case nil:
		case runtime.Error:
			x.b.Throw("RangeError", "Invalid array length")
		default:
			panic(failed)
		}
	}()
	return next(call)
}

// boundReaders bounds those functions of goja that believe the length that a script's value says it has.
func (x *Bounds) boundReaders() {
	json := x.b.Object("JSON")
	x.wrap(json, "rawJSON", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		v := next(call)
		if o, ok := v.(*goja.Object); ok {
			x.in.PollAt(o)
		}
		return v
	})
	x.wrap(json, "stringify", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		if keys, ok := call.Argument(1).(*goja.Object); ok {
			if _, callable := goja.AssertFunction(keys); !callable {
				if length, dense := x.arrayLike(keys); !dense && length > wide {
					x.b.Throw("RangeError", "Invalid array length")
				}
			}
		}
		size := textSize{x: x}
		switch v := call.Argument(0).(type) {
		case goja.String:
			size.add(quoted(v))
		case *goja.Object:
			list, _ := x.in.Elements(v)
			for _, item := range list {
				if s, ok := item.(goja.String); ok {
					size.add(quoted(s))
				}
			}
		}
		return x.careful(next, call)
	})
	proto := x.b.Object("RegExp", "prototype")
	for _, symbol := range []*goja.Symbol{goja.SymMatch, goja.SymMatchAll, goja.SymReplace, goja.SymSearch,
		goja.SymSplit} {
		f, ok := proto.GetSymbol(symbol).(*goja.Object)
		n, native := x.in.Native(f)
		if !ok || !native {
			continue
		}
		next := *n.Call
		*n.Call = func(call goja.FunctionCall) goja.Value { return x.careful(next, call) }
	}
}

// quoted is how long a string is in JSON.
func quoted(s goja.String) int64 {
	n := int64(s.Length())
	if n < large/8 {
		return n
	}
	for _, c := range []byte(s.String()) {
		if c < ' ' {
			n += 5
		} else if c == '"' || c == '\\' {
			n++
		}
	}
	return n
}
