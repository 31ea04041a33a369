package bounds

import (
	"math"
	"runtime"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// elementSizes are those of the typed arrays.
var elementSizes = map[string]int64{
	"Int8Array": 1, "Uint8Array": 1, "Uint8ClampedArray": 1, "Int16Array": 2, "Uint16Array": 2, "Int32Array": 4,
	"Uint32Array": 4, "Float16Array": 2, "Float32Array": 4, "Float64Array": 8, "BigInt64Array": 8, "BigUint64Array": 8,
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
					list := x.source(v, size, strings.HasPrefix(name, "Big"))
					args = append([]goja.Value{list}, args[1:]...)
				}
			default:
				x.elements(v, size)
			}
			return construct(args, newTarget)
		}
	}
	buffer := x.b.Object("ArrayBuffer")
	if n, ok := x.in.Native(buffer); ok {
		construct := *n.Construct
		*n.Construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
			x.elements(builtin.Argument(args, 0), 1)
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
	for _, name := range []string{"transfer", "transferToFixedLength"} {
		x.wrap(buffer.Get("prototype").(*goja.Object), name, func(call goja.FunctionCall,
			next func(goja.FunctionCall) goja.Value) goja.Value {
			x.elements(call.Argument(0), 1)
			return next(call)
		})
	}
	typed := x.b.Object("Uint8Array").Prototype()
	x.wrap(typed, "from", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		mapped := !goja.IsUndefined(call.Argument(1))
		if _, callable := goja.AssertFunction(call.Argument(1)); mapped && !callable {
			return next(call) // goja throws
		}
		if o, ok := call.Argument(0).(*goja.Object); ok {
			list := x.source(o, x.unit(call.This), mapped || x.big(call.This))
			args := append([]goja.Value{list}, call.Arguments[1:]...)
			call = goja.FunctionCall{This: call.This, Arguments: args}
		}
		return next(call)
	})
	proto := typed.Get("prototype").(*goja.Object)
	const own = 0 // the size of an element
	for name, each := range map[string]int64{"join": 4, "toLocaleString": 8, "slice": own, "map": own, "filter": own,
		"toSorted": own, "toReversed": own, "with": own} {
		f, ok := proto.Get(name).(*goja.Object)
		n, native := x.in.Native(f)
		if !ok || !native {
			continue
		}
		next := *n.Call
		*n.Call = func(call goja.FunctionCall) goja.Value {
			if w, unit, ok := x.window(call.This); ok {
				if name == "join" {
					separator := x.comma
					if v := call.Argument(0); !goja.IsUndefined(v) {
						separator = x.b.ToString(v)
					}
					x.stringOf(int64(w) * int64(separator.Length()+1))
					if now, _, _ := x.window(call.This); now < w { // the separator has shrunk it
						return x.joined(call.This.(*goja.Object), w, separator)
					}
					call = goja.FunctionCall{This: call.This, Arguments: []goja.Value{separator}}
				}
				if each == own {
					x.reserve(int64(w) * int64(unit))
				} else {
					x.reserve(int64(w) * each)
				}
			}
			return next(call)
		}
	}
}

// elements reserves memory for the elements of a typed array, if v is a primitive that says how many. What is too long
// for any buffer takes none: it throws.
func (x *Bounds) elements(v goja.Value, size int64) {
	switch v.(type) {
	case *goja.Object, *goja.Symbol:
		return
	}
	if goja.IsBigInt(v) {
		return
	}
	if bytes := math.Trunc(v.ToFloat()) * float64(size); bytes >= 1 && bytes <= builtin.MaxBuffer {
		x.reserve(int64(bytes))
	}
}

// unit is the size of the elements that a constructor's typed arrays have, eight if it is not one of the built-in ones.
func (x *Bounds) unit(ctor goja.Value) int64 {
	for name, size := range elementSizes {
		if o := x.b.Object(name); o == ctor {
			return size
		}
	}
	return 8
}

// view is how many elements a typed array has.
func (x *Bounds) view(v goja.Value) (length int, ok bool) {
	length, _, ok = x.window(v)
	return length, ok
}

// window is how many elements a typed array has, and the size of one.
func (x *Bounds) window(v goja.Value) (length, unit int, ok bool) {
	o, ok := v.(*goja.Object)
	if !ok || !x.in.IsTypedArray(o) {
		return 0, 0, false
	}
	w, ok := x.in.Window(o)
	if !ok || w.Gone() {
		return 0, 0, false
	}
	return w.Length(), w.Unit(), true
}

// joined is join of a typed array of which some elements are no more.
func (x *Bounds) joined(o *goja.Object, length int, separator goja.String) goja.Value {
	var out goja.StringBuilder
	for i := range length {
		if i > 0 {
			out.WriteString(separator)
		}
		if now, _ := x.view(o); i < now {
			out.WriteString(x.b.ToString(x.element(o, i)))
		}
	}
	return out.String()
}

// careful calls a function of goja's that relies on what it has read before a script's function changed that. Go's own
// checks stop it then, and the script gets the error.
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
