package bounds

import (
	"eddy/runtime/engine/gojainternals"

	"github.com/dop251/goja"
)

const (
	// maxStringLength is V8's, in UTF-16 units.
	maxStringLength = 1<<29 - 24
	// maxArguments is about the number of arguments that V8's stack holds. maxList is V8's bound on an array-like that
	// arguments are taken from.
	maxArguments, maxList = 125_000, 1<<27 - 3
	// Install's reserve is told of an allocation of large bytes or more before it is made.
	large = 1 << 20
	// valueSize is what an element of an array takes.
	valueSize = 16
	// longText is the length from which on a built-in that goes over a text looks for an interrupt before each call.
	longText = 1 << 16
)

// wrap puts f around a built-in method; next is what it was.
func (x *Bounds) wrap(
	o *goja.Object,
	name string,
	f func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value,
) {
	n, ok := x.in.Native(o.Get(name).(*goja.Object))
	if !ok {
		panic("bounds: goja has no built-in " + name)
	}
	next := *n.Call
	*n.Call = func(call goja.FunctionCall) goja.Value { return f(call, next) }
}

// step is called by built-ins that can call each other with no function of a script between them. It throws when they
// nest too deep.
func (x *Bounds) step() {
	x.steps++
	if x.steps%256 == 0 && gojainternals.DeepStack() {
		x.overflow()
	}
}

// reserve says that so many bytes are about to be taken, and throws if that is too much.
func (x *Bounds) reserve(bytes int64) {
	if x.taken += bytes; x.taken >= large && x.told != nil {
		x.told(uint64(x.taken))
		x.taken = 0
	}
	x.in.RaiseInterrupt(x.rt)
}

// stringOf throws if a string cannot have so many units.
func (x *Bounds) stringOf(units int64) {
	if units > maxStringLength || units < 0 {
		x.b.Throw("RangeError", "Invalid string length")
	}
	x.longTexts = x.longTexts || units >= longText
	if units >= large {
		x.reserve(units)
	}
}

// textSize adds up the length of a text. From large on it reserves the text each time that its length has grown by a
// quarter, as builtin.TextSize does.
type textSize struct {
	x        *Bounds
	units    int64
	reserved int64
	copies   int64 // how often the text is in memory at once, 0 for once
}

func (t *textSize) add(units int64) {
	t.units += units
	t.x.longTexts = t.x.longTexts || t.units >= longText
	if t.units < large {
		return
	}
	if t.units > maxStringLength {
		t.x.stringOf(t.units)
	}
	if t.units >= t.reserved+t.reserved/4 {
		t.reserved = t.units
		t.x.reserve(t.units * max(t.copies, 1))
	}
}

// boundCalls bounds lists of arguments that come from array-likes, and functions bound to each other.
func (x *Bounds) boundCalls() {
	list := func(v goja.Value) {
		o, ok := v.(*goja.Object)
		if !ok {
			return
		}
		length := 0.0
		if list, ok := x.in.Elements(o); ok {
			length = float64(len(list))
		} else if v := o.Get("length"); v != nil {
			length = x.b.ToNumber(v)
		}
		switch {
		case length > maxList:
			x.b.Throw("RangeError", "Invalid array length")
		case length > maxArguments:
			x.overflow()
		}
	}
	function, reflect := x.b.Object("Function", "prototype"), x.b.Object("Reflect")
	x.wrap(function, "apply", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		x.step()
		list(call.Argument(1))
		return next(call)
	})
	x.wrap(reflect, "apply", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		x.step()
		list(call.Argument(2))
		return next(call)
	})
	x.wrap(reflect, "construct", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		x.step()
		list(call.Argument(1))
		return next(call)
	})
	x.wrap(function, "call", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		x.step()
		return next(call)
	})
	x.wrap(function, "bind", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		f := next(call)
		if made := x.in.BoundCall(f.(*goja.Object)); made != nil {
			bound := *made
			*made = func(call goja.FunctionCall) goja.Value {
				x.step()
				return bound(call)
			}
		}
		return f
	})
}

// boundKeys bounds what a proxy's ownKeys trap has returned.
func boundKeys(rt *goja.Runtime, list *goja.Object) {
	x := known.Of(rt)
	if x == nil {
		return
	}
	switch length, dense, known := x.arrayLike(list); {
	case !known:
		x.in.Polls(list)
	case dense || !(length > wide):
	case length > maxList:
		x.b.Throw("RangeError", "Invalid array length")
	default:
		x.reserve(int64(length) * valueSize)
		x.in.Polls(list)
	}
}
