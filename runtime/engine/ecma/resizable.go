package ecma

import (
	"math"
	"runtime"
	"slices"
	"weak"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// maxReserved is the largest maxByteLength, in bytes: the whole memory of an isolate. The maximum is allocated at once,
// and a resize only moves the end of goja's slice within it. So a stale index that goja still holds while a callback
// shrinks the buffer stays inside the allocation.
const maxReserved = 128 << 20

// resizable is the state of one resizable ArrayBuffer. It must not refer to the buffer, which would then never go.
type resizable struct {
	max   int
	views []resizableView
}

// resizableView is a view as a script has asked for it. What goja holds follows from it and from the present length.
type resizableView struct {
	object         weak.Pointer[goja.Object]
	tracking       bool
	offset, length int // in units of the view
}

// bufferTable finds the state of resizable buffers without keeping them alive.
type bufferTable struct {
	states map[weak.Pointer[goja.Object]]*resizable
	sweep  int // at this size dead entries are looked for
}

func (t *bufferTable) state(o *goja.Object) *resizable {
	if len(t.states) == 0 {
		return nil
	}
	return t.states[weak.Make(o)]
}

func (t *bufferTable) put(o *goja.Object, s *resizable) {
	if t.states == nil {
		t.states = map[weak.Pointer[goja.Object]]*resizable{}
	}
	if len(t.states) >= t.sweep {
		for w := range t.states {
			if w.Value() == nil {
				delete(t.states, w)
			}
		}
		t.sweep = 2*len(t.states) + 16
	}
	t.states[weak.Make(o)] = s
}

func (e *Engine) isBuffer(v goja.Value) (*goja.Object, bool) {
	o, ok := v.(*goja.Object)
	return o, ok && e.in.IsArrayBuffer(o)
}

// makeResizable turns a new ArrayBuffer into a resizable one over data, whose capacity is max.
func (e *Engine) makeResizable(o *goja.Object, data []byte, max int) {
	*e.in.BufferBytes(o) = data
	e.buffers.put(o, &resizable{max: max})
}

// resize sets the length of a resizable buffer; n is at most its maximum. Bytes that come back are zero.
func (e *Engine) resize(o *goja.Object, s *resizable, n int) {
	data := e.in.BufferBytes(o)
	clear((*data)[:s.max][min(n, len(*data)):])
	*data = (*data)[:n]
	live := s.views[:0]
	for _, v := range s.views {
		if view := v.object.Value(); view != nil {
			e.fit(v, view, o)
			live = append(live, v)
		}
	}
	clear(s.views[len(live):])
	s.views = live
}

// fit writes a view's present window into goja's fields.
func (e *Engine) fit(v resizableView, view, buf *goja.Object) {
	w, _ := e.in.Window(view)
	size := len(*e.in.BufferBytes(buf))
	start := v.offset * w.Unit()
	if start > size || !v.tracking && start+v.length*w.Unit() > size {
		w.Leave(buf)
		return
	}
	length := v.length
	if v.tracking {
		length = (size - start) / w.Unit()
	}
	w.Show(buf, v.offset, length)
}

// watchViews makes the constructors of views register the views on resizable buffers.
func (e *Engine) watchViews() {
	for name, unit := range map[string]int{
		"Int8Array": 1, "Uint8Array": 1, "Uint8ClampedArray": 1, "Int16Array": 2, "Uint16Array": 2, "Int32Array": 4,
		"Uint32Array": 4, "Float32Array": 4, "Float64Array": 8, "BigInt64Array": 8, "BigUint64Array": 8,
		"DataView": 0} {
		n, ok := e.in.Native(e.object(name))
		if !ok {
			panic("ecma: " + name + " is not a native constructor")
		}
		construct := *n.Construct
		*n.Construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
			if len(args) > 0 && unit > 0 {
				e.typedLength(args[0], unit)
			}
			view := construct(args, newTarget)
			if len(e.buffers.states) == 0 || len(args) == 0 {
				return view
			}
			buf, ok := e.isBuffer(args[0])
			if !ok {
				return view
			}
			s := e.buffers.state(buf)
			if s == nil {
				return view
			}
			w, _ := e.in.Window(view)
			v := resizableView{weak.Make(view), goja.IsUndefined(builtin.Argument(args, 2)), w.Offset(), w.Length()}
			if len(s.views) == cap(s.views) {
				live := s.views[:0]
				for _, old := range s.views {
					if old.object.Value() != nil {
						live = append(live, old)
					}
				}
				s.views = live
			}
			s.views = append(s.views, v)
			e.fit(v, view, buf)
			return view
		}
	}
	// goja checks bounds once and then runs user code (valueOf, species). If Go's own checks stop it after that, the
	// script gets an error.
	typed := e.object("Uint8Array").Prototype().Get("prototype").(*goja.Object)
	for _, name := range []string{
		"copyWithin", "fill", "set", "slice", "subarray", "sort", "with", "toSorted", "toReversed", "map", "filter"} {
		m, _ := typed.Get(name).(*goja.Object)
		n, ok := e.in.Native(m)
		if !ok {
			continue
		}
		call := *n.Call
		*n.Call = func(c goja.FunctionCall) goja.Value {
			if name == "set" {
				c.Arguments = e.emptySource(c.Arguments)
			}
			if len(e.buffers.states) == 0 {
				return call(c)
			}
			v := e.bounded(name, call, c)
			if name == "subarray" && goja.IsUndefined(c.Argument(1)) {
				e.trackSubarray(c.This, v)
			}
			return v
		}
	}
}

func (e *Engine) bounded(name string, call func(goja.FunctionCall) goja.Value, c goja.FunctionCall) goja.Value {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case runtime.Error:
			e.b.Throw("TypeError", "Cannot perform %TypedArray%.prototype."+name+" on a detached ArrayBuffer")
		default:
			panic(x)
		}
	}()
	return call(c)
}

// LengthTracking tells whether a view on a resizable buffer follows the buffer's length.
func (e *Engine) LengthTracking(view *goja.Object) bool {
	w, ok := e.in.Window(view)
	if !ok || len(e.buffers.states) == 0 {
		return false
	}
	s := e.buffers.state(w.Buffer())
	if s == nil {
		return false
	}
	key := weak.Make(view)
	return slices.ContainsFunc(s.views, func(v resizableView) bool { return v.object == key && v.tracking })
}

// trackSubarray makes part, an open-ended subarray of whole, follow the buffer's length if whole does. goja makes it
// with a length in any case.
func (e *Engine) trackSubarray(whole, part goja.Value) {
	from, _ := whole.(*goja.Object)
	to, _ := part.(*goja.Object)
	if from == nil || to == nil {
		return
	}
	fromWindow, ok1 := e.in.Window(from)
	toWindow, ok2 := e.in.Window(to)
	if !ok1 || !ok2 || !fromWindow.SameMemory(toWindow) {
		return
	}
	buf := toWindow.Buffer()
	s := e.buffers.state(buf)
	if s == nil {
		return
	}
	follows, fromKey, toKey := false, weak.Make(from), weak.Make(to)
	for i := range s.views {
		follows = follows || s.views[i].object == fromKey && s.views[i].tracking
	}
	for i := range s.views {
		if v := &s.views[i]; follows && v.object == toKey {
			v.tracking = true
			e.fit(*v, to, buf)
		}
	}
}

// emptySource replaces an empty typed array, given to set, by an empty array: goja takes the address of its first
// element, and that panic would end the process.
func (e *Engine) emptySource(args []goja.Value) []goja.Value {
	source, ok := builtin.Argument(args, 0).(*goja.Object)
	if !ok {
		return args
	}
	if w, ok := e.in.Window(source); ok && w.Length() == 0 && !w.Gone() {
		offset := 0.0
		if len(args) > 1 {
			offset = e.b.ToNumber(args[1])
		}
		if w.Gone() {
			e.b.Throw("TypeError", "Cannot perform %TypedArray%.prototype.set on a detached ArrayBuffer")
		}
		return []goja.Value{e.rt.NewArray(), e.rt.ToValue(offset)}
	}
	return args
}

// toLength is ToIndex for lengths: -1 stands for what is below zero, maxIndex+1 for what is above maxIndex.
func (e *Engine) toLength(v goja.Value) int {
	f := 0.0
	if !goja.IsUndefined(v) {
		f = e.b.ToNumber(v)
	}
	if f != f {
		f = 0
	}
	return int(min(max(math.Trunc(f), -1), maxIndex+1))
}

// maxIndex is V8's bound on the bytes of a buffer, above which a length is not one.
const maxIndex = 1<<53 - 1

// typedLength throws what V8 throws if a view is to be made of a buffer of its own, with a length that it cannot have;
// unit is the size of an element.
func (e *Engine) typedLength(v goja.Value, unit int) {
	switch v.(type) {
	case *goja.Object, *goja.Symbol:
		return
	}
	if goja.IsBigInt(v) {
		return
	}
	switch bytes := math.Trunc(v.ToFloat()) * float64(unit); {
	case bytes < 0 || bytes > maxIndex:
		e.b.Throw("RangeError", "Invalid typed array length: "+v.String())
	case bytes > builtin.MaxBuffer:
		e.b.Throw("RangeError", "Array buffer allocation failed")
	}
}

// constructResizable wraps goja's ArrayBuffer constructor for the maxByteLength option.
func (e *Engine) constructResizable(construct func([]goja.Value, *goja.Object) *goja.Object) func(
	[]goja.Value, *goja.Object) *goja.Object {
	return func(args []goja.Value, newTarget *goja.Object) *goja.Object {
		size := e.toLength(builtin.Argument(args, 0))
		var limit goja.Value
		if options, ok := builtin.Argument(args, 1).(*goja.Object); ok {
			limit = options.Get("maxByteLength")
		}
		resizes := limit != nil && !goja.IsUndefined(limit)
		max := size
		if resizes {
			max = e.toLength(limit)
		}
		switch {
		case size < 0 || size > maxIndex:
			e.b.Throw("RangeError", "Invalid array buffer length")
		case max < size || max > maxIndex:
			e.b.Throw("RangeError", "Invalid array buffer max length")
		case size > builtin.MaxBuffer || resizes && max > maxReserved:
			if newTarget != nil {
				newTarget.Get("prototype") // comes before the memory, and may throw
			}
			e.b.Throw("RangeError", "Array buffer allocation failed")
		}
		if !resizes {
			return construct([]goja.Value{e.rt.ToValue(size)}, newTarget)
		}
		o := construct(nil, newTarget)
		e.makeResizable(o, make([]byte, max)[:size], max)
		return o
	}
}

// growth gives SharedArrayBuffer (js/memory.js) what it needs of its buffers. max(buffer) is undefined for a buffer of
// fixed length. grow(buffer, length) tells whether the buffer can have that length. adopted(value) tells whether the
// value is a buffer that Go made shared by giving it the prototype (shared memories of WebAssembly).
func (e *Engine) growth() goja.Value {
	o := e.rt.NewObject()
	e.method(o, "adopted", 1, func(call goja.FunctionCall) goja.Value {
		b, ok := e.isBuffer(call.Argument(0))
		return e.rt.ToValue(ok && e.isShared(b))
	})
	e.method(o, "max", 1, func(call goja.FunctionCall) goja.Value {
		if s := e.buffers.state(call.Argument(0).(*goja.Object)); s != nil {
			return e.rt.ToValue(s.max)
		}
		return goja.Undefined()
	})
	e.method(o, "grow", 2, func(call goja.FunctionCall) goja.Value {
		n := e.toLength(call.Argument(1))
		b := call.Argument(0).(*goja.Object)
		s := e.buffers.state(b)
		data := *e.in.BufferBytes(b)
		ok := n <= s.max && n >= len(data) && cap(data) >= s.max // without capacity, Go has detached it
		if ok {
			e.resize(b, s, n)
		}
		return e.rt.ToValue(ok)
	})
	return o
}
