package gojainternals

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
	"weak"

	"github.com/dop251/goja"
)

// A stack that goja notes has the name of each native function that runs: goja asks the function for it. A script can
// give such a function a name that computes: a getter, or a prototype that is a proxy. If what runs for a name makes an
// error, goja asks again, and so on. Who finds that takes the names away ([bounded.deep]).
//
// And an interrupted machine notes its stack while it holds its lock for interrupts. What runs for a name meets the
// interrupt as well and waits for the lock, which its own goroutine holds: for ever. Who finds that takes the names
// away and lets go of the lock.

// interrupts counts the calls of Runtime.Interrupt by [Machine.Interrupt], of all machines: while they are equal,
// nobody is in one.
var interrupts struct{ begun, ended atomic.Uint64 }

// Interrupt is Runtime.Interrupt for a machine whose script may have made names that compute. It does nothing if an
// interrupt is on its way. Any goroutine.
func (m Machine) Interrupt(reason any) {
	if m.layout.interrupted(m.machine) {
		return
	}
	interrupts.begun.Add(1)
	m.rt.Interrupt(reason)
	interrupts.ended.Add(1)
	watchNames(m.layout, weak.Make(m.rt), firstLook)
}

// How long it takes until names are looked at, and how rarely it is done in the end.
const (
	firstLook = 10 * time.Millisecond
	lastLook  = time.Second
)

// watchNames looks for a machine that waits for its own lock, until the interrupt is over.
func watchNames(l *Layout, of weak.Pointer[goja.Runtime], after time.Duration) {
	time.AfterFunc(after, func() {
		rt := of.Value()
		if rt == nil || !l.interrupted(l.vm(rt)) {
			return
		}
		l.freeNames(l.vm(rt))
		watchNames(l, of, min(2*after, lastLook))
	})
}

func (l *Layout) interrupted(vm unsafe.Pointer) bool {
	return atomic.LoadUint32((*uint32)(unsafe.Add(vm, l.machine.interrupted))) != 0
}

// The parts of a sync.Mutex: whether it is locked, and how many goroutines wait.
const (
	mutexLocked  = 1
	mutexWaiters = 3 // the shift
)

// freeNames lets go of the lock of a machine that waits for it. The machine stands still: what is written here, and
// read by it, is ordered by the lock.
//
//go:norace
func (l *Layout) freeNames(vm unsafe.Pointer) {
	begun := interrupts.begun.Load()
	lock := (*sync.Mutex)(unsafe.Add(vm, l.machine.lock))
	state := atomic.LoadInt32((*int32)(unsafe.Pointer(lock)))
	if interrupts.ended.Load() != begun || state&mutexLocked == 0 || state>>mutexWaiters == 0 ||
		interrupts.begun.Load() != begun {
		return
	}
	l.dropNames(vm)
	lock.Unlock()
}

// asksNames tells, on the machine's goroutine, whether the machine asks for names just now with its lock held. That the
// lock is taken is not enough: anybody may be in Runtime.Interrupt.
func (l *Layout) asksNames(vm unsafe.Pointer) bool {
	lock := (*sync.Mutex)(unsafe.Add(vm, l.machine.lock))
	if lock.TryLock() {
		lock.Unlock()
		return false
	}
	_, locked := questions()
	return locked
}

// asksAgain tells whether what runs has been asked for a name by an answer to such a question.
func asksAgain() bool {
	asked, _ := questions()
	return asked > 1
}

// questions counts the questions for names that what runs answers, one within the other, and tells whether one of them
// was asked with the lock held, for an interrupt. It looks at the innermost part of Go's stack.
func questions() (asked int, locked bool) {
	var pcs [128]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	noting := false
	for {
		f, more := frames.Next()
		switch {
		case strings.HasSuffix(f.Function, "/goja.getFuncName"):
			asked++
		case strings.HasSuffix(f.Function, "/goja.(*vm).captureStack"):
			noting = true
		default:
			locked = locked || noting && strings.HasSuffix(f.Function, "/goja.(*vm).run")
			noting = false
		}
		if !more {
			return asked, locked
		}
	}
}

// dropNames leaves the native functions that run out of the stack that goja notes next.
//
//go:norace
func (l *Layout) dropNames(vm unsafe.Pointer) {
	calls := (*sliceHeader)(unsafe.Add(vm, l.machine.calls))
	for i := range calls.len {
		call := unsafe.Add(calls.data, uintptr(i)*l.machine.callSize)
		if *(*unsafe.Pointer)(unsafe.Add(call, l.machine.callProgram)) == nil {
			*(*int)(unsafe.Add(call, l.machine.callBase)) = 0
		}
	}
	if *(*unsafe.Pointer)(unsafe.Add(vm, l.machine.program)) == nil {
		*(*int)(unsafe.Add(vm, l.machine.sb)) = 0
	}
}

// RaiseInterrupt ends the native function that runs if Runtime.Interrupt was called: it panics as goja does between two
// instructions.
func (l *Layout) RaiseInterrupt(rt *goja.Runtime) {
	if !l.Interrupted(rt) {
		return
	}
	if vm := l.vm(rt); l.asksNames(vm) {
		l.dropNames(vm)
		(*sync.Mutex)(unsafe.Add(vm, l.machine.lock)).Unlock()
	}
	if _, err := rt.RunProgram(emptyProgram); err != nil {
		panic(err)
	}
}
