package bounds

import (
	"math"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/gojainternals"
)

// maxIndex is the longest that an array-like can say it is, and V8's bound on the bytes of a buffer.
const maxIndex = 1<<53 - 1

var proxyType = gojainternals.ProxyType

// quick are the methods of String that do not go over the text.
var quick = map[string]bool{
	"constructor": true, "charAt": true, "charCodeAt": true, "codePointAt": true, "at": true, "slice": true,
	"substring": true, "substr": true,
}

// boundTexts makes the built-ins that go over a text look for an interrupt before a long one: a built-in may call them
// for each element of a list, with nothing of a script between.
func (x *Bounds) boundTexts() {
	global := x.rt.GlobalObject()
	for _, from := range []struct {
		o     *goja.Object
		names []string
	}{
		{global, []string{"parseInt", "parseFloat", "isNaN", "isFinite", "Number", "String", "BigInt", "Date", "Symbol",
			"RegExp", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "unescape"}},
		{x.b.Object("Number"), []string{"parseInt", "parseFloat"}},
		{x.b.Object("Date"), []string{"parse"}},
		{x.b.Object("JSON"), []string{"parse"}},
		{x.b.Object("Object"), []string{"keys", "is"}},
		{x.b.Object("Symbol"), []string{"for"}},
		{x.b.Object("RegExp", "prototype"), []string{"test", "exec"}},
		{x.b.Object("Math"), nil},
		{x.b.Object("String", "prototype"), nil},
	} {
		names := from.names
		if names == nil {
			names = from.o.GetOwnPropertyNames()
		}
		for _, name := range names {
			f, ok := from.o.Get(name).(*goja.Object)
			if !ok || quick[name] {
				continue
			}
			n, native := x.in.Native(f)
			if !native {
				continue
			}
			next := *n.Call
			*n.Call = func(call goja.FunctionCall) goja.Value {
				if x.in.Long(call.This) || len(call.Arguments) > 0 && x.in.Long(call.Arguments[0]) {
					x.longTexts = true
					x.in.RaiseInterrupt(x.rt)
				}
				return next(call)
			}
		}
	}
}

// long tells whether a list has a long text in it.
func (x *Bounds) long(list []goja.Value) bool {
	for _, v := range list {
		if v != nil && x.in.Long(v) {
			return true
		}
	}
	return false
}

// longIn tells whether an object is an array that has all its elements in memory, with a long text among them.
func (x *Bounds) longIn(o *goja.Object) bool {
	list, _ := x.in.Elements(o)
	return x.long(list)
}

// numbers copies a list and puts numbers in the place of long texts. It looks for an interrupt at each.
func (x *Bounds) numbers(list []goja.Value) []goja.Value {
	out := append([]goja.Value(nil), list...)
	for i, v := range out {
		if v != nil && x.in.Long(v) {
			x.in.RaiseInterrupt(x.rt)
			out[i] = x.rt.ToValue(x.b.ToNumber(v))
		}
	}
	return out
}

// array makes an array of these values.
func (x *Bounds) array(list []goja.Value) *goja.Object {
	values := make([]any, len(list))
	for i, v := range list {
		if v == nil {
			v = goja.Undefined()
		}
		values[i] = v
	}
	return x.rt.NewArray(values...)
}

// big tells whether a constructor of typed arrays makes arrays of BigInts, or an instance is one.
func (x *Bounds) big(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	for depth := 0; ok && o != nil && depth < 100 && o.ExportType() != proxyType; depth++ {
		for _, name := range []string{"BigInt64Array", "BigUint64Array"} {
			if ctor := x.b.Object(name); o == ctor || o == ctor.Get("prototype") {
				return true
			}
		}
		o = o.Prototype()
	}
	return false
}

// source looks at the object from which a typed array is about to be made, and returns what to make it from instead;
// size is that of an element in bytes. asIs says that elements must not be made numbers.
func (x *Bounds) source(o *goja.Object, size int64, asIs bool) *goja.Object {
	if n, ok := x.view(o); ok {
		x.reserve(int64(n) * size)
		return o
	}
	list, dense := x.in.Elements(o)
	iterator := o.GetSymbol(goja.SymIterator)
	switch {
	case dense:
		if len(list) > wide/16 {
			x.reserve(int64(len(list)) * (2*valueSize + size))
		}
	case iterator != nil && !missing(iterator):
		if _, callable := goja.AssertFunction(iterator); !callable {
			return o // goja throws
		}
		// What is read once must not be read again.
		list = x.collected(x.iterable(o, iterator))
		if o = nil; len(list) > wide/16 {
			x.reserve(int64(len(list)) * (2*valueSize + size))
		}
	default:
		length := x.lengthOf(o)
		switch {
		case length*float64(size) > maxIndex:
			x.b.Throw("RangeError", "Invalid typed array length: "+x.rt.ToValue(length).String())
		case length*float64(size) > builtin.MaxBuffer:
			x.b.Throw("RangeError", "Array buffer allocation failed")
		}
		if length > wide {
			x.reserve(int64(length) * (size + valueSize))
			x.poll(o)
			return o
		}
		for i := range int(length) {
			list = append(list, x.element(o, i))
		}
		o = nil
	}
	switch {
	case !asIs && x.long(list):
		return x.array(x.numbers(list))
	case o == nil:
		return x.array(list)
	}
	return o
}

// iterable gives what o does, whose method at Symbol.iterator has been read.
func (x *Bounds) iterable(o *goja.Object, method goja.Value) *goja.Object {
	once := x.rt.CreateObject(nil)
	call, _ := goja.AssertFunction(method)
	builtin.Must(once.SetSymbol(goja.SymIterator, func(goja.FunctionCall) goja.Value {
		v, err := call(o)
		if err != nil {
			panic(err)
		}
		return v
	}))
	return once
}

// collected lists what an iterable gives, and reserves memory as the list grows.
func (x *Bounds) collected(o *goja.Object) (list []goja.Value) {
	x.b.ForOf(o, func(v goja.Value) bool {
		if n := len(list); n == cap(list) {
			if n*valueSize >= large {
				x.reserve(int64(n) * 2 * valueSize)
			}
			list = append(make([]goja.Value, 0, max(2*n, 16)), list...)
		}
		if list = append(list, v); len(list)%1024 == 0 {
			x.in.RaiseInterrupt(x.rt)
		}
		return true
	})
	return list
}

// boundLists makes built-ins that go over a list of long texts look for an interrupt at each.
func (x *Bounds) boundLists() {
	typed := x.b.Object("Uint8Array").Prototype()
	numeric, text := x.b.Object("Math"), x.b.Object("String")
	for name, on := range map[string]*goja.Object{"max": numeric, "min": numeric, "hypot": numeric,
		"fromCharCode":  text,
		"fromCodePoint": text, "of": typed} {
		x.wrap(on, name, func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
			if len(call.Arguments) > 1 && x.long(call.Arguments) && !x.big(call.This) {
				call = goja.FunctionCall{This: call.This, Arguments: x.numbers(call.Arguments)}
			}
			return next(call)
		})
	}
	x.wrap(typed.Get("prototype").(*goja.Object), "set", func(call goja.FunctionCall,
		next func(goja.FunctionCall) goja.Value) goja.Value {
		if o, ok := call.Argument(0).(*goja.Object); ok && x.longIn(o) && !x.big(call.This) {
			list, _ := x.in.Elements(o)
			args := append([]goja.Value{x.array(x.numbers(list))}, call.Arguments[1:]...)
			call = goja.FunctionCall{This: call.This, Arguments: args}
		}
		return next(call)
	})
	for _, name := range []string{"Set", "Map"} {
		n, ok := x.in.Native(x.b.Object(name))
		if !ok {
			continue
		}
		construct := *n.Construct
		*n.Construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
			if len(args) > 0 {
				args = append([]goja.Value{x.stepwise(args[0])}, args[1:]...)
			}
			return construct(args, newTarget)
		}
	}
	x.wrap(x.b.Object("Object"), "fromEntries", func(call goja.FunctionCall,
		next func(goja.FunctionCall) goja.Value) goja.Value {
		list := call.Argument(0)
		if o, ok := list.(*goja.Object); !ok || x.keyed(o) {
			list = x.stepwise(list)
		} else if f, ok := o.GetSymbol(goja.SymIterator).(*goja.Object); ok && f != nil {
			list = x.b.Call(x.entries, list)
		}
		return next(goja.FunctionCall{This: call.This, Arguments: []goja.Value{list}})
	})
	x.boundSearches()
}

// keyed tells whether a list is an array of arrays that each have a key. goja's Object.fromEntries breaks at a key that
// is not there.
func (x *Bounds) keyed(list *goja.Object) bool {
	entries, ok := x.in.Elements(list)
	if !ok {
		return false
	}
	for _, v := range entries {
		if entry, ok := v.(*goja.Object); ok {
			if pair, _ := x.in.Elements(entry); len(pair) == 0 || pair[0] == nil {
				return false
			}
		}
	}
	return true
}

// stepwise returns a list that a built-in goes over, or a generator of it where its elements, or the keys of its
// entries, are long.
func (x *Bounds) stepwise(v goja.Value) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok {
		return v
	}
	list, _ := x.in.Elements(o)
	for _, item := range list {
		entry, ok := item.(*goja.Object)
		if ok {
			pair, _ := x.in.Elements(entry)
			ok = len(pair) > 0 && pair[0] != nil && x.in.Long(pair[0])
		}
		if ok || item != nil && x.in.Long(item) {
			return x.b.Call(x.each, v)
		}
	}
	return v
}

// boundSearches makes searches for a long text in an array look for an interrupt at each element.
func (x *Bounds) boundSearches() {
	proto := x.b.Object("Array", "prototype")
	for _, name := range []string{"indexOf", "lastIndexOf", "includes"} {
		x.wrap(proto, name, func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
			o, ok := call.This.(*goja.Object)
			if !ok || !x.in.Long(call.Argument(0)) || !x.longIn(o) {
				return next(call)
			}
			from := 0.0
			if name == "lastIndexOf" {
				from = -1
			}
			if len(call.Arguments) > 1 {
				from = x.b.ToNumber(call.Arguments[1])
			}
			at := x.search(o, call.Argument(0), from, strings.HasPrefix(name, "last"))
			if name == "includes" {
				return x.rt.ToValue(at >= 0)
			}
			return x.rt.ToValue(at)
		})
	}
}

// search looks for a text in an array from an index on, or backwards from it. It returns the index of the text, -1 if
// it is not there.
func (x *Bounds) search(o *goja.Object, text goja.Value, from float64, backwards bool) int {
	list, _ := x.in.Elements(o)
	at, step := relative(from, len(list)), 1
	if backwards {
		at, step = min(at, len(list)-1), -1
	} else {
		at = max(at, 0)
	}
	for ; at >= 0 && at < len(list); at += step {
		x.in.RaiseInterrupt(x.rt)
		if v := list[at]; v != nil && text.StrictEquals(v) {
			return at
		}
	}
	return -1
}

// relative is an index that counts from the end if it is below zero.
func relative(index float64, length int) int {
	switch index = math.Trunc(index); {
	case index != index:
		return 0
	case index < 0:
		return int(max(index+float64(length), -1))
	}
	return int(min(index, float64(length)))
}
