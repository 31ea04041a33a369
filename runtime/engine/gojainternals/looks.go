package gojainternals

import (
	"reflect"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/dop251/goja"
)

// A Look asks a runtime that computes for long what it computes, and lets it go on. The goroutine that owns the runtime
// answers at the next place where it safely can: where a function of a script begins, or where a native function polls.
// In a loop without calls there is none, and goja's own profiler answers between two instructions. The profiler
// is the second choice: it notes the place of the instruction that has just run, which after a call or a return is in
// another function than the stack's innermost.
type Look struct {
	m        Machine
	answers  atomic.Bool // the owner is about to answer
	answer   atomic.Pointer[[]goja.StackFrame]
	patience time.Duration // of the next Ask; of the goroutine that began the look
}

// How long an Ask waits, at first and at most. The profiler asks native functions for their names, and what a script
// has made of a name is asked in turn, as long as the question stands: it must not stand for long.
const (
	firstAsk = 100 * time.Microsecond
	lastAsk  = 5 * time.Millisecond
)

// looks counts the looks that are under way in the process: those who may answer look here first.
var looks atomic.Int32

// looking are the looks under way, by virtual machine: unsafe.Pointer → *Look.
var looking sync.Map

// trackerFields says where goja's profiler keeps what it asks of a virtual machine and what that answers. A machine
// that has a tracker obeys it without the profiler being on.
type trackerFields struct {
	at, request, count, frames uintptr
	depth                      int
	typ                        reflect.Type // of ours: goja's, and the machine's sums and finds behind it
	sums, finds                uintptr
}

// lookDepth is how many frames an answer has at most: nobody reads more.
const lookDepth = 64

const (
	trackerIdle  int32 = 0
	trackerAsked int32 = 1
	trackerReady int32 = 2
)

func (l *Layout) readTracker(r *reader) {
	_, vm := r.field(reflect.TypeFor[goja.Runtime](), "vm", nil)
	if r.err != nil {
		return
	}
	f := &l.tracker
	at, typ := r.field(vm.Elem(), "profTracker", nil)
	if r.err != nil {
		return
	}
	if typ.Kind() != reflect.Pointer {
		r.fail("vm.profTracker is a %s", typ)
		return
	}
	f.at, f.typ = at, typ.Elem()
	f.request, _ = r.field(f.typ, "req", reflect.TypeFor[int32]())
	f.count, _ = r.field(f.typ, "numFrames", reflect.TypeFor[int]())
	var frames reflect.Type
	if f.frames, frames = r.field(f.typ, "frames", nil); r.err != nil {
		return
	}
	if frames.Kind() != reflect.Array || frames.Elem() != reflect.TypeFor[goja.StackFrame]() {
		r.fail("profTracker.frames is a %s", frames)
		return
	}
	f.depth = frames.Len()
	f.typ = reflect.StructOf([]reflect.StructField{
		{Name: "Goja", Type: f.typ}, {Name: "Sums", Type: reflect.TypeFor[sums]()},
		{Name: "Finds", Type: reflect.TypeFor[finds]()}})
	f.sums, f.finds = f.typ.Field(1).Offset, f.typ.Field(2).Offset
	rt := goja.New()
	m := Machine{rt: rt, layout: l}
	m.track()
	k := m.Look()
	defer k.End()
	k.insist()
	_, err := rt.RunScript("probe.js", "(function probe() { for (let i = 0; i < 9; i++); })()")
	stack, ok := k.Stack()
	if err != nil || !ok || len(stack) == 0 || l.FrameProgram(&stack[len(stack)-1]) == nil {
		r.fail("profiler does not answer a request (%v, %d frames)", err, len(stack))
	}
}

// track gives the machine a tracker of its own. A machine that has one looks at it after each instruction, instead of
// counting to the next look at goja's global one: that costs nothing that can be measured.
func (m *Machine) track() {
	f := &m.layout.tracker
	m.machine = m.layout.vm(m.rt)
	m.tracker = reflect.New(f.typ).UnsafePointer()
	*(*unsafe.Pointer)(unsafe.Add(m.machine, f.at)) = m.tracker
}

func (m Machine) request() *int32 {
	return (*int32)(unsafe.Add(m.tracker, m.layout.tracker.request))
}

// Look begins a look. One at a time is under way for a machine. Any goroutine.
func (m Machine) Look() *Look {
	k := &Look{m: m, patience: firstAsk}
	looking.Store(m.machine, k)
	looks.Add(1)
	return k
}

// insist makes the machine answer between two instructions.
func (k *Look) insist() { atomic.StoreInt32(k.m.request(), trackerAsked) }

// Ask asks for an answer from a loop without calls, too, and waits a moment for it: each time a little longer. It is
// called on the goroutine that began the look.
func (k *Look) Ask() {
	k.insist()
	time.Sleep(k.patience)
	k.patience = min(2*k.patience, lastAsk)
	atomic.CompareAndSwapInt32(k.m.request(), trackerAsked, trackerIdle)
}

// Stack returns the answer, innermost frame first, once there is one. It is called on the goroutine that began the
// look, or on the one that owns the runtime.
func (k *Look) Stack() ([]goja.StackFrame, bool) {
	if frames := k.answer.Load(); frames != nil {
		return *frames, true
	}
	f := &k.m.layout.tracker
	if atomic.LoadInt32(k.m.request()) != trackerReady {
		return nil, false
	}
	t := k.m.tracker
	n := min(*(*int)(unsafe.Add(t, f.count)), f.depth)
	frames := append([]goja.StackFrame(nil),
		unsafe.Slice((*goja.StackFrame)(unsafe.Add(t, f.frames)), f.depth)[:n]...)
	k.m.layout.correct(frames)
	k.answer.Store(&frames)
	return frames, true
}

// correct gives a frame that has just begun its own place: the profiler has noted that of the call.
func (l *Layout) correct(frames []goja.StackFrame) {
	if len(frames) < 2 {
		return
	}
	pc := func(i int) *int { return (*int)(unsafe.Add(unsafe.Pointer(&frames[i]), l.frame.pc)) }
	if p := l.FrameProgram(&frames[0]); p != nil && (*pc(0) == *pc(1) || *pc(0) >= len(l.code(p))) {
		*pc(0) = 0
	}
}

// End ends the look, answered or not. It may be called twice. Any goroutine.
func (k *Look) End() {
	if looking.CompareAndDelete(k.m.machine, k) {
		atomic.StoreInt32(k.m.request(), trackerIdle)
		looks.Add(-1)
	}
}

// answerLook answers the look that is under way at a machine, if there is one, and waits while the machine is to stand
// still. It runs on the goroutine that owns the runtime.
func answerLook(vm unsafe.Pointer, rt *goja.Runtime) {
	if p, ok := pauses.Load(vm); ok {
		standing.Add(1)
		<-p.(chan struct{})
		standing.Add(-1)
	}
	v, ok := looking.Load(vm)
	if !ok {
		return
	}
	k := v.(*Look)
	if k.answer.Load() == nil && !k.answers.Swap(true) {
		frames := rt.CaptureCallStack(lookDepth, nil)
		k.answer.Store(&frames)
	}
}
