package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
)

// What goja's native functions call is begun by goja, also an async function, as in Promise.all(list.map(async …)):
// with two resolving functions. Async functions of scripts therefore have a method table of ours, of which the way for
// native functions to call them is not goja's. Where goja must call them, it does.

// asyncMakers are the instructions that make async functions.
var asyncMakers = map[string]bool{"newAsyncFunc": true, "newAsyncArrowFunc": true, "newAsyncMethod": true}

// asyncMaker stands in the place of one. goja knows by their method tables functions that ask for their home, or within
// which something does; theirs stay goja's.
type asyncMaker struct {
	goja   instruction
	layout *Layout
}

func (m *asyncMaker) wrapped() instruction { return m.goja }

func (m *asyncMaker) exec(vm unsafe.Pointer) {
	l := m.layout
	m.goja.exec(vm)
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	made := pair(&stack[*(*int)(unsafe.Add(vm, l.machine.sp))-1])
	kind := (*unsafe.Pointer)(unsafe.Add(made[1], l.objectSelf))
	for i := range l.async.kinds {
		if k := &l.async.kinds[i]; k.kind == *kind {
			*kind = k.ours
			return
		}
	}
}

// is tells whether a method table is of this kind of functions, goja's or ours.
func (k *asyncKind) is(table unsafe.Pointer) bool {
	return table == k.ours || table == k.kind
}

// of is the kind of async functions that a method table is of, nil if it is of none.
func (a *asyncFields) of(table unsafe.Pointer) *asyncKind {
	for i := range a.kinds {
		if k := &a.kinds[i]; k.is(table) {
			return k
		}
	}
	return nil
}

// asyncCallee is an async function that native functions may call.
type asyncCallee struct {
	function *goja.Object
	next     func(goja.FunctionCall) goja.Value
}

func assertAsync(p unsafe.Pointer) (func(goja.FunctionCall) goja.Value, bool) {
	l, o := polled.layout, (*baseMirror)(p).val
	if k := l.async.of(l.kind(o)); k != nil {
		next, ok := k.asserts(p)
		return (&asyncCallee{o, next}).call, ok
	}
	panic("gojainternals: an async function is of no kind that is known")
}

func (c *asyncCallee) call(call goja.FunctionCall) goja.Value {
	l := polled.layout
	for _, v := range call.Arguments {
		if v == nil { // of which goja makes undefined
			return c.next(call)
		}
	}
	this := call.This
	if this == nil {
		this = goja.Undefined()
	}
	if promise, ok := l.CallAsync(l.runtimeOf(c.function), c.function, this, call.Arguments...); ok {
		return promise
	}
	return c.next(call)
}
