package gojainternals

import (
	"sync/atomic"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// goja makes a promise with two resolving functions for each call of an async function, which are objects with
// properties of their own, and which nobody ever sees: only the end of the function calls one of them. Ours makes the
// promise alone. It begins the function as goja goes on with one that has waited: with a state in which all is still to
// be done. From there on everything is goja's.

func assertResolve(made unsafe.Pointer) (f func(goja.FunctionCall) goja.Value, ok bool) {
	x := (*asyncMade)(made).rest()
	if x.waits {
		return stillWaits, true
	}
	x.ended = true
	end := unsafe.Pointer(&x.end)
	*(*unsafe.Pointer)(unsafe.Pointer(&f)) = end
	return f, true
}

func assertReject(made unsafe.Pointer) (func(goja.FunctionCall) goja.Value, bool) {
	x := (*asyncMade)(made).rest()
	x.ended = true
	return settle(x.promise, 1), true
}

// settle is goja's own resolving function for a promise of ours.
func settle(o *goja.Object, i int) (f func(goja.FunctionCall) goja.Value) {
	l := polled.layout
	a := &l.async
	s := a.codes[i]
	c := &settling{code: s.code}
	put := func(at uintptr, p unsafe.Pointer) {
		if at != 0 {
			c.words[at/unsafe.Sizeof(uintptr(0))-1] = p
		}
	}
	put(s.promise, l.data(o))
	put(s.runtime, unsafe.Pointer(l.runtimeOf(o)))
	put(s.already, unsafe.Pointer(new(bool)))
	*(*unsafe.Pointer)(unsafe.Pointer(&f)) = unsafe.Pointer(c)
	return f
}

// nothingGiven goes on with a function without a value for what it waited for.
var nothingGiven = goja.FunctionCall{Arguments: []goja.Value{nil}}

// callOf is a call with a number of arguments.
type callOf struct {
	goja   instruction
	layout *Layout
	n      int
	other  unsafe.Pointer // the kind of functions called first that is none of async ones; runtimes share it
}

func (c *callOf) wrapped() instruction { return c.goja }

func (c *callOf) exec(vm unsafe.Pointer) {
	l := c.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := *(*int)(unsafe.Add(vm, l.machine.sp))
	callee := pair(&stack[sp-c.n-1])
	if callee[0] != l.quick.object {
		c.goja.exec(vm)
		return
	}
	o := (*goja.Object)(callee[1])
	self := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	if other := atomic.LoadPointer(&c.other); other != self[0] {
		if k := l.async.of(self[0]); k == nil {
			if other == nil { // a call of several kinds keeps the first: to write is dearer than to look
				atomic.StorePointer(&c.other, self[0])
			}
		} else if l.beginAsync(vm, o, k, c.n) {
			return
		}
	}
	target := (*goja.Value)(unsafe.Add(vm, l.making.target))
	leaks := *target != nil && hasTarget(self[0])
	slot := unsafe.Add(self[0], l.async.call) // a function value is a pointer to the address of its code
	(*(*func(unsafe.Pointer, unsafe.Pointer, int))(unsafe.Pointer(&slot)))(self[1], vm, c.n)
	if leaks {
		*target = nil
	}
}

// hasTarget tells whether functions of a kind have a new.target of their own: without new it is undefined, where goja
// leaves that of the constructor which calls them.
func hasTarget(kind unsafe.Pointer) bool {
	f := lightFunctionOf(kind)
	return f != nil && f != &lightFunctions[lightArrow]
}

// callOfSpread is a call with a spread argument.
type callOfSpread struct {
	goja   instruction
	layout *Layout
}

func (c *callOfSpread) wrapped() instruction { return c.goja }

func (c *callOfSpread) exec(vm unsafe.Pointer) {
	l := c.layout
	target := (*goja.Value)(unsafe.Add(vm, l.making.target))
	if *target == nil {
		c.goja.exec(vm)
		return
	}
	calls := (*sliceHeader)(unsafe.Add(vm, l.machine.calls))
	before := calls.len
	c.goja.exec(vm)
	if calls.len == before { // it was native
		return
	}
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	callee := pair(&stack[*(*int)(unsafe.Add(vm, l.machine.sp))-*(*int)(unsafe.Add(vm, l.shortcut.args))-2])
	if callee[0] == l.quick.object && hasTarget(l.kind((*goja.Object)(callee[1]))) {
		*target = nil
	}
}

// beginAsync calls an async function with the arguments on the stack. It does nothing if goja must do it.
func (l *Layout) beginAsync(vm unsafe.Pointer, o *goja.Object, k *asyncKind, n int) bool {
	a := &l.async
	f := l.data(o)
	program := *(**goja.Program)(unsafe.Add(f, k.program))
	global := unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(vm, l.machine.runtime)), l.quick.global)
	proto := *(**goja.Object)(unsafe.Add(global, a.promises))
	if proto == nil || *(**goja.Object)(unsafe.Add(global, a.promise)) == nil {
		return false // there is no promise yet
	}
	code := l.code(program)
	if len(code) == 0 {
		return false
	}
	if _, ok := code[0].(*bounded); !ok { // which begins the function
		return false
	}
	m := l.newAsync()
	x, made := m.rest(), unsafe.Pointer(m)
	object := l.pending(l.runtimeOf(o), proto)
	x.promise = object
	for i := range x.settlers {
		*(**goja.Runtime)(unsafe.Add(unsafe.Pointer(&x.settlers[i]), polled.runtime)) = l.runtimeOf(o)
	}
	*(*unsafe.Pointer)(unsafe.Add(made, a.machine)) = vm
	*(**goja.Object)(unsafe.Add(made, a.function)) = o

	// the state of a function that has yet to begin
	spAt := (*int)(unsafe.Add(vm, l.machine.sp))
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	bottom := *spAt - n - 2
	this := stack[bottom]
	if stack[bottom] = stack[bottom+1]; k.arrow {
		this = nil
		*(*goja.Value)(unsafe.Add(made, a.target)) = *(*goja.Value)(unsafe.Add(f, k.target))
	} else {
		*(*goja.Value)(unsafe.Add(made, a.target)) = *(*goja.Value)(unsafe.Add(vm, a.nowTarget))
	}
	stack[bottom+1] = this
	*(**goja.Program)(unsafe.Add(made, a.program)) = program
	*(*unsafe.Pointer)(unsafe.Add(made, a.stash)) = *(*unsafe.Pointer)(unsafe.Add(f, k.stash))
	*(*unsafe.Pointer)(unsafe.Add(made, a.private)) = *(*unsafe.Pointer)(unsafe.Add(f, k.private))
	*(*goja.Value)(unsafe.Add(made, a.result)) = *(*goja.Value)(unsafe.Add(vm, a.nowResult))
	*(*int)(unsafe.Add(made, a.args)) = n
	*(*[]goja.Value)(unsafe.Add(made, a.stack)) = stack[bottom:*spAt:*spAt]
	*spAt = bottom

	// As far as a stack shows it, what waits is not the function that begins, but the one around it.
	current := (*unsafe.Pointer)(unsafe.Add(vm, l.machine.async))
	outer := *current
	shown := (**goja.Object)(unsafe.Add(made, a.capabilityAt+a.promiseOf))
	if *shown = object; outer != nil {
		*shown = *(**goja.Object)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(outer, a.capability)), a.promiseOf))
	}
	m.step(0, nothingGiven)
	*current = outer
	*shown = object
	state := (*[]goja.Value)(unsafe.Add(made, a.stack))
	if len(*state) > 0 && unsafe.SliceData(*state) == unsafe.SliceData(stack[bottom:]) { // it has ended
		*state = nil
	}
	if x.ended {
		m.release()
	}

	*spAt = bottom
	stack = *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	stack[bottom] = object // there was something before
	*spAt++
	*(*int)(unsafe.Add(vm, l.quick.pc))++
	return true
}

// fulfilled is a promise of a value that is no object, as await makes it; nil if goja must make it.
func (l *Layout) fulfilled(vm unsafe.Pointer, v goja.Value) goja.Value {
	a := &l.async
	rt := *(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime))
	global := unsafe.Add(unsafe.Pointer(rt), l.quick.global)
	proto := *(**goja.Object)(unsafe.Add(global, a.promises))
	if proto == nil {
		return nil
	}
	// goja takes it for a promise by its constructor
	if constructor, _ := l.held(proto, "constructor"); constructor == nil || kindOf(constructor) != l.quick.object ||
		pair(&constructor)[1] != *(*unsafe.Pointer)(unsafe.Add(global, a.promise)) {
		return nil
	}
	o := l.pending(rt, proto)
	p := l.data(o)
	*(*goja.PromiseState)(unsafe.Add(p, a.state)) = goja.PromiseStateFulfilled
	*(*goja.Value)(unsafe.Add(p, a.value)) = v
	return o
}

// pending is a new promise.
func (l *Layout) pending(rt *goja.Runtime, proto *goja.Object) *goja.Object {
	made := &struct { // either is alive as long as the other
		p goja.Promise
		o goja.Object
	}{p: l.async.template}
	p, o := &made.p, &made.o
	at := unsafe.Pointer(p)
	*(**goja.Object)(unsafe.Add(at, polled.object)) = o
	*(**goja.Object)(unsafe.Add(at, l.plain.prototype)) = proto
	*(*map[unistring.String]goja.Value)(unsafe.Add(at, l.quick.copies.values)) = map[unistring.String]goja.Value{}
	*(*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf)) = [2]unsafe.Pointer{l.awaiting.promise, at}
	*(**goja.Runtime)(unsafe.Add(unsafe.Pointer(o), polled.runtime)) = rt
	return o
}
