package gojainternals

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/dop251/goja"
)

// goja's own bound on the depth of calls raises an error that no script can catch, and it does not know that a call
// which passes through a native function takes much more of Go's stack than one that does not. So the first step of
// every function looks at both depths.
//
// An interrupt is a panic that goja raises again, within the deferred function that has met it, wherever a native
// function has entered the machine. So the panics lie on top of each other, Go walks over all of them each time, and
// the time grows with the square of the depth: seconds for a thousand callbacks in each other. Therefore every
// segmentth of those entries runs its function here, and raises the panic again when its stack is gone.

// Depths bound how deep calls nest.
type Depths struct {
	Calls  int // of any kind
	Native int // those that a native function makes: callbacks, accessors, traps, and bodies of async functions
	// Exceeded is called at the entry of the function that is one too many. It panics with what that function throws,
	// and does not return.
	Exceeded func(rt *goja.Runtime)
}

// An interrupt passes segment entries of native functions in one go. A function begins a new such stretch if it is at a
// multiple of segment, or up to steps beyond one: built-ins call each other, so that not every depth is that of a
// function.
const segment, steps = 32, 4

// tryFields says where the machine keeps what unwinding stops at.
type tryFields struct {
	frames, size, catch, calls uintptr
	callPC, pc                 uintptr
}

const (
	nativeMark = -2 // stands for the address of a handler where a native function has entered the machine
	nativePC   = -2 // is where a function returns to if a native function has called it
)

func (l *Layout) readTries(r *reader) {
	_, vm := r.field(reflect.TypeFor[goja.Runtime](), "vm", nil)
	if r.err != nil {
		return
	}
	t := &l.tries
	at, frames := r.field(vm.Elem(), "tryStack", nil)
	_, calls := r.field(vm.Elem(), "callStack", nil)
	t.pc, _ = r.field(vm.Elem(), "pc", reflect.TypeFor[int]())
	if r.err != nil {
		return
	}
	if frames.Kind() != reflect.Slice {
		r.fail("vm.tryStack is a %s", frames)
		return
	}
	t.frames, t.size = at, frames.Elem().Size()
	t.catch, _ = r.field(frames.Elem(), "catchPos", reflect.TypeFor[int32]())
	t.calls, _ = r.field(frames.Elem(), "callStackLen", reflect.TypeFor[uint32]())
	t.callPC, _ = r.field(calls.Elem(), "pc", reflect.TypeFor[int]())
	if r.err != nil {
		return
	}
	depth, entered := -1, false
	if err := r.rt.Set("probe", func() { depth = l.nativeDepth(l.vm(r.rt)) }); err != nil {
		r.fail("probe of calls failed: %v", err)
		return
	}
	p, err := goja.Compile("probe.js", "[1].forEach(() => { try { probe() } finally {} })", true)
	if err != nil {
		r.fail("probe of calls failed: %v", err)
		return
	}
	l.WrapEntries(p, func(e FunctionCall) { entered = l.enteredByNative(l.vm(e.Runtime)) })
	if _, err := r.rt.RunProgram(p); err != nil || depth != 2 || !entered {
		r.fail("machine shows %d entries of native functions, expected 2 (%v, %v)", depth, entered, err)
	}
}

// nativeDepth is how many times native functions, the one that runs the program among them, have entered the machine
// and not come back yet.
func (l *Layout) nativeDepth(vm unsafe.Pointer) (n int) {
	tries := (*sliceHeader)(unsafe.Add(vm, l.tries.frames))
	for i := range tries.len {
		if *(*int32)(unsafe.Add(tries.data, uintptr(i)*l.tries.size+l.tries.catch)) == nativeMark {
			n++
		}
	}
	return n
}

// enteredByNative tells whether the function that begins now was called by a native function, so that the machine stops
// when it returns.
func (l *Layout) enteredByNative(vm unsafe.Pointer) bool {
	tries, calls := (*sliceHeader)(unsafe.Add(vm, l.tries.frames)), (*sliceHeader)(unsafe.Add(vm, l.machine.calls))
	if tries.len == 0 || calls.len == 0 {
		return false
	}
	last := unsafe.Add(tries.data, uintptr(tries.len-1)*l.tries.size)
	if *(*int32)(unsafe.Add(last, l.tries.catch)) != nativeMark {
		return false
	}
	return *(*int)(unsafe.Add(calls.data, uintptr(calls.len-1)*l.machine.callSize+l.tries.callPC)) == nativePC ||
		int(*(*uint32)(unsafe.Add(last, l.tries.calls))) == calls.len // the fields of a class get their values
}

// bounded stands in front of a function's body.
type bounded struct {
	goja   instruction
	layout *Layout
	depths *Depths
}

func (b *bounded) wrapped() instruction { return b.goja }

func (b *bounded) exec(vm unsafe.Pointer) {
	b.goja.exec(vm)
	l := b.layout
	if looks.Load() != 0 {
		answerLook(vm, *(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)))
		l.nestCall(vm)
	}
	if (*sliceHeader)(unsafe.Add(vm, l.tries.frames)).len >= segment ||
		(*sliceHeader)(unsafe.Add(vm, l.machine.calls)).len > b.depths.Calls {
		b.deep(vm)
	}
}

// deep looks closer: the calls nest too deep, or many try statements and native functions are under way.
func (b *bounded) deep(vm unsafe.Pointer) {
	l, d := b.layout, b.depths
	depth := 0
	if l.enteredByNative(vm) {
		depth = l.nativeDepth(vm)
	}
	exceeded := depth > d.Native || (*sliceHeader)(unsafe.Add(vm, l.machine.calls)).len > d.Calls
	stretch := depth > 0 && depth%segment < steps
	if exceeded || stretch && asksAgain() {
		l.dropNames(vm) // or the error that is made now, and each one after it, would ask as deep again
	}
	if exceeded {
		d.Exceeded(*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)))
		return
	}
	if stretch {
		if x := l.runHere(vm); x != nil {
			panic(x)
		}
	}
}

// runHere does what goja's machine would do next, until the function that begins now has returned or waits. It returns
// the value of a panic on the way, nil if there was none.
func (l *Layout) runHere(vm unsafe.Pointer) (x any) {
	defer func() { x = recover() }()
	interrupted := (*uint32)(unsafe.Add(vm, l.machine.interrupted))
	for atomic.LoadUint32(interrupted) == 0 { // goja's machine raises the panic
		pc := *(*int)(unsafe.Add(vm, l.tries.pc))
		if pc < 0 {
			return nil
		}
		code := l.code(*(**goja.Program)(unsafe.Add(vm, l.machine.program)))
		if pc >= len(code) {
			return nil
		}
		code[pc].exec(vm)
		if looks.Load() != 0 {
			answerLook(vm, *(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)))
		}
	}
	return nil
}
