package gojainternals

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
)

// Calls of async functions that have ended serve again: nothing holds one then, and it is the largest part of what a
// call takes.

// idleCalls has calls of any runtime, which hold nothing of it.
var idleCalls sync.Pool

// mostKept is how many values and try statements an idle call has room for at most.
const mostKept = 64

// newAsync is a call without its function.
func (l *Layout) newAsync() *asyncMade {
	if m, ok := idleCalls.Get().(*asyncMade); ok {
		return m
	}
	a := &l.async
	made := reflect.New(a.made).UnsafePointer()
	m := (*asyncMade)(made)
	x := m.rest()
	for i := range x.settlers {
		*(*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&x.settlers[i]), l.objectSelf)) =
			[2]unsafe.Pointer{unsafe.Pointer(&a.tables[i][0]), made}
		x.own[i] = boundMethod{a.settled[i], made}
		r := &x.reacting[i]
		method := unsafe.Pointer(&x.methods[i])
		*(*unsafe.Pointer)(unsafe.Pointer(&r.callback)) = method
		r.reaction = reaction{typ: i, handler: unsafe.Pointer(&r.callback), asyncRunner: made}
	}
	x.methods = [2]boundMethod{{l.waits.fulfilled, made}, {l.waits.rejected, made}}
	x.job, x.end = boundMethod{l.waits.run, made}, boundMethod{l.waits.finish, made}
	*(*unsafe.Pointer)(unsafe.Add(made, a.capabilityAt+a.resolve)) = unsafe.Pointer(&x.settlers[0])
	*(*unsafe.Pointer)(unsafe.Add(made, a.capabilityAt+a.reject)) = unsafe.Pointer(&x.settlers[1])
	*(*unsafe.Pointer)(unsafe.Add(made, a.capability)) = unsafe.Add(made, a.capabilityAt)
	return m
}

// release lets a call that has ended serve again.
func (m *asyncMade) release() {
	l, x, at := polled.layout, m.rest(), unsafe.Pointer(m)
	a, w := &l.async, &l.waits
	x.promise, x.argument[0] = nil, nil
	x.depth, x.waits, x.failed, x.ended = 0, false, false, false
	clear(x.kept)
	if x.kept = x.kept[:0]; cap(x.kept) > mostKept {
		x.kept = nil
	}
	for i := range x.reacting {
		x.reacting[i].asyncCtx, x.reacting[i].list[0] = nil, nil
		*(**goja.Runtime)(unsafe.Add(unsafe.Pointer(&x.settlers[i]), polled.runtime)) = nil
	}
	*(**goja.Object)(unsafe.Add(at, a.capabilityAt+a.promiseOf)) = nil
	*(*unsafe.Pointer)(unsafe.Add(at, a.machine)) = nil
	*(**goja.Object)(unsafe.Add(at, a.function)) = nil
	*(**goja.Program)(unsafe.Add(at, a.program)) = nil
	*(*unsafe.Pointer)(unsafe.Add(at, a.stash)) = nil
	*(*unsafe.Pointer)(unsafe.Add(at, a.private)) = nil
	*(*goja.Value)(unsafe.Add(at, a.target)) = nil
	*(*goja.Value)(unsafe.Add(at, a.result)) = nil
	*(*[]goja.Value)(unsafe.Add(at, a.stack)) = nil
	*(*int)(unsafe.Add(at, w.pc)), *(*int)(unsafe.Add(at, w.base)) = 0, 0
	tries := (*[]tryFrame)(unsafe.Add(at, w.keptTries))
	clear(*tries)
	if *tries = (*tries)[:0]; cap(*tries) > mostKept {
		*tries = nil
	}
	if (*sliceHeader)(unsafe.Add(at, w.keptIters)).cap+(*sliceHeader)(unsafe.Add(at, w.keptRefs)).cap > 0 {
		*(*sliceHeader)(unsafe.Add(at, w.keptIters)) = sliceHeader{}
		*(*sliceHeader)(unsafe.Add(at, w.keptRefs)) = sliceHeader{}
	}
	idleCalls.Put(m)
}
