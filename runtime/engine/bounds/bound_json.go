package bounds

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// boundJSON bounds what JSON.stringify writes. goja's own looks for no interrupt and tells nobody what it takes, and it
// cannot be told to. But it calls a replacer for each value. So it gets one where there were long texts, or lists whose
// lookups cannot poll: the others need none.
func (x *Bounds) boundJSON() {
	json := x.b.Object("JSON")
	x.wrap(json, "rawJSON", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		v := next(call)
		if o, ok := v.(*goja.Object); ok {
			x.in.PollAt(o)
		}
		return v
	})
	x.watching = x.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		x.writes(call.Argument(0), call.Argument(1))
		return call.Argument(1)
	})
	isArray, _ := goja.AssertFunction(x.b.Object("Array").Get("isArray"))
	x.wrap(json, "stringify", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		replacer := call.Argument(1)
		keys, object := replacer.(*goja.Object)
		f, callable := goja.AssertFunction(replacer)
		if object && !callable {
			if x.b.Call(isArray, keys).ToBoolean() { // a list of names
				args := append([]goja.Value(nil), call.Arguments...)
				args[1] = x.names(keys)
				return x.careful(next, goja.FunctionCall{This: call.This, Arguments: args})
			}
		}
		if !x.longTexts && !x.bareLists && !x.longInside(call.Argument(0)) {
			return x.careful(next, call)
		}
		args := append([]goja.Value(nil), call.Arguments...)
		for len(args) < 2 {
			args = append(args, goja.Undefined())
		}
		if args[1] = x.watching; callable {
			args[1] = x.rt.ToValue(func(call goja.FunctionCall) goja.Value {
				v, err := f(call.This, call.Arguments...)
				if err != nil {
					panic(err)
				}
				x.writes(call.Argument(0), v)
				return v
			})
		}
		defer func(outer *textSize) { x.written = outer }(x.written)
		x.written = &textSize{x: x, copies: 3} // a buffer twice as long, and the text
		return x.careful(next, goja.FunctionCall{This: call.This, Arguments: args})
	})
}

// names is JSON.stringify's list of names, whose length and elements are read once.
func (x *Bounds) names(keys *goja.Object) *goja.Object {
	if _, dense := x.in.Elements(keys); dense {
		return keys
	}
	length := x.lengthOf(keys)
	if length > wide {
		x.b.Throw("RangeError", "Invalid array length")
	}
	var list []goja.Value
	for i := range int(length) {
		list = append(list, x.element(keys, i))
	}
	return x.array(list)
}

// longInside tells whether a value is a long text, or an array that has one.
func (x *Bounds) longInside(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	return x.in.Long(v) || ok && x.longIn(o)
}

// writes counts a property that JSON.stringify is about to write.
func (x *Bounds) writes(key, v goja.Value) {
	n := int64(4)
	if s, ok := key.(goja.String); ok {
		n += quoted(s)
	}
	if s, ok := v.(goja.String); ok {
		units := quoted(s)
		if n += units; units >= longText && !builtin.ASCII(s) {
			x.reserve(5 * int64(s.Length())) // what is beyond ASCII takes up to three bytes a unit, and then two
		}
	}
	x.written.add(n)
	if x.steps++; n >= longText || x.steps%64 == 0 {
		x.in.RaiseInterrupt(x.rt)
	}
}

// quoted is how long a string is in JSON.
func quoted(s goja.String) int64 {
	n := int64(s.Length())
	if n < longText {
		return n
	}
	for i := range s.Length() {
		if c := s.CharAt(i); c < ' ' {
			n += 5
		} else if c == '"' || c == '\\' {
			n++
		}
	}
	return n
}
