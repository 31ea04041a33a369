package gojainternals

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/dop251/goja"
)

// Through runs a call of a function of a script, p being its body: run returns when the call has returned or waits. It
// is called on the goroutine that owns the runtime.
type Through func(p *goja.Program, run func())

// nest is what a machine has whose calls nest in Go's stack.
type nest struct {
	through Through
	depth   int // of the innermost call that does so; the machine's goroutine has it
}

// nests are those of the machines: unsafe.Pointer → *nest. While there is one, looks counts it.
var nests sync.Map

// nestDepth is how many calls nest at most: each takes a kilobyte of Go's stack or two.
const nestDepth = 100

// Nest lets each call that begins or goes on run through a function of ours, until end is called: then what Go says of
// its own stack, as in its profile of the heap, tells which functions of the script are under way. One at a time is
// possible for a machine; ok is false if another one is there. Any goroutine.
func (m Machine) Nest(through Through) (end func(), ok bool) {
	n := &nest{through: through}
	if _, taken := nests.LoadOrStore(m.machine, n); taken {
		return nil, false
	}
	looks.Add(1)
	return sync.OnceFunc(func() {
		nests.CompareAndDelete(m.machine, n)
		looks.Add(-1)
	}), true
}

// nestCall runs the call that has begun, or goes on, if the machine's calls nest. A panic passes through it.
func (l *Layout) nestCall(vm unsafe.Pointer) {
	v, ok := nests.Load(vm)
	if !ok {
		return
	}
	n := v.(*nest)
	depth := (*sliceHeader)(unsafe.Add(vm, l.machine.calls)).len
	p := *(**goja.Program)(unsafe.Add(vm, l.machine.program))
	if before := n.depth; p != nil && depth > before && depth <= nestDepth {
		n.depth = depth
		defer func() { n.depth = before }()
		n.through(p, func() { l.runCall(vm, depth) })
	}
}

// runCall does what goja's machine would do next, while the call at a depth neither returns nor waits.
func (l *Layout) runCall(vm unsafe.Pointer, depth int) {
	calls := (*sliceHeader)(unsafe.Add(vm, l.machine.calls))
	interrupted := (*uint32)(unsafe.Add(vm, l.machine.interrupted))
	for calls.len >= depth && atomic.LoadUint32(interrupted) == 0 { // goja's machine raises the panic
		pc := *(*int)(unsafe.Add(vm, l.tries.pc))
		program := *(**goja.Program)(unsafe.Add(vm, l.machine.program))
		if pc < 0 || program == nil {
			return
		}
		code := l.code(program)
		if pc >= len(code) {
			return
		}
		code[pc].exec(vm)
		l.answerInsisted(vm)
	}
}

// answerInsisted answers a look as goja's machine does between two instructions: no machine of goja's is below ours.
func (l *Layout) answerInsisted(vm unsafe.Pointer) {
	if v, ok := looking.Load(vm); ok && atomic.LoadInt32(v.(*Look).m.request()) == trackerAsked {
		answerLook(vm, *(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)))
	}
}

// resumed stands behind an await or a yield, where a call goes on.
type resumed struct {
	goja   instruction
	layout *Layout
}

func (r *resumed) wrapped() instruction { return r.goja }

func (r *resumed) exec(vm unsafe.Pointer) {
	r.goja.exec(vm)
	if looks.Load() != 0 {
		r.layout.nestCall(vm)
	}
}

// watchResumed puts a resumed behind each await and yield of a body.
func (l *Layout) watchResumed(body *goja.Program) {
	code := l.code(body)
	await := tableOf(l.awaiting.await)
	for i := range code[:max(len(code)-1, 0)] {
		if tableOf(unwrapped(code[i])) == await {
			code[i+1] = &resumed{goja: code[i+1], layout: l}
		}
	}
}

// FrameOf is a frame at the begin of a function.
func (l *Layout) FrameOf(p *goja.Program) (f goja.StackFrame) {
	*(**goja.Program)(unsafe.Add(unsafe.Pointer(&f), l.frame.program)) = p
	return f
}
