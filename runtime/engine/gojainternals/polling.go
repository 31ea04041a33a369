package gojainternals

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// An interrupt is seen between two instructions, and goja's own functions never look for it: indexOf over an array-like
// of nine quadrillion elements, or JSON.stringify of a tree whose branches are one object, would keep the goroutine for
// ever. But such a function looks up properties, and a lookup that finds nothing goes along the prototypes to the last
// one, Object.prototype. So that object gets a method table whose lookups poll.

// pollMethods are goja's own lookups of one kind of object. Read fills them once.
type pollMethods struct {
	table  []uintptr      // goja's table, with our lookups in it
	native unsafe.Pointer // goja's own
	codes  [9]uintptr

	getStr        func(unsafe.Pointer, unistring.String, goja.Value) goja.Value
	getIdx        func(unsafe.Pointer, int64, goja.Value) goja.Value
	getSym        func(unsafe.Pointer, *goja.Symbol, goja.Value) goja.Value
	hasStr        func(unsafe.Pointer, unistring.String) bool
	hasIdx        func(unsafe.Pointer, int64) bool
	setForeignStr func(unsafe.Pointer, unistring.String, goja.Value, goja.Value, bool) (bool, bool)
	setForeignIdx func(unsafe.Pointer, int64, goja.Value, goja.Value, bool) (bool, bool)
	setOwnStr     func(unsafe.Pointer, unistring.String, goja.Value, bool) bool
	setOwnIdx     func(unsafe.Pointer, int64, goja.Value, bool) bool
}

// polled is what looking for interrupts needs.
var polled struct {
	kinds   [2]pollMethods // of Object.prototype, which goja implements by a type of its own, and of plain objects
	object  uintptr        // of the implementation, the way back to the *goja.Object
	runtime uintptr        // of a goja.Object
	layout  *Layout
	deep    func(*goja.Runtime)
	list    func(*goja.Runtime, *goja.Object)
}

func (l *Layout) readPolling(r *reader) {
	polled.layout = l
	polled.runtime, _ = r.field(reflect.TypeFor[goja.Object](), "runtime", reflect.TypeFor[*goja.Runtime]())
	for i, source := range []string{"Object.prototype", "Object.create(null)"} {
		probe := r.object(source)
		if r.err != nil {
			return
		}
		concrete, _ := self(probe)
		at, _ := r.field(concrete.Elem(), "val", reflect.TypeFor[*goja.Object]())
		if i > 0 && at != polled.object {
			r.fail("%s and another keep their objects at %d and %d", concrete, at, polled.object)
		}
		polled.object = at
		polled.kinds[i].read(r, concrete, l.kind(probe))
	}
}

func (m *pollMethods) read(r *reader, concrete reflect.Type, tab unsafe.Pointer) {
	_, iface := r.field(reflect.TypeFor[goja.Object](), "self", nil)
	if r.err != nil {
		return
	}
	m.native = tab
	m.table, r.err = methodTable(iface, concrete, tab, map[string]any{
		"getStr": pollGetStr, "getIdx": pollGetIdx, "getSym": pollGetSym, "hasPropertyStr": pollHasStr,
		"hasPropertyIdx": pollHasIdx,
		"setForeignStr":  pollSetForeignStr, "setForeignIdx": pollSetForeignIdx,
		"setOwnStr": pollSetOwnStr, "setOwnIdx": pollSetOwnIdx,
	})
	if r.err != nil {
		return
	}
	methods := unsafe.Slice((*uintptr)(tab), len(m.table))
	own := map[string]struct {
		at int
		to unsafe.Pointer
	}{
		"getStr": {0, unsafe.Pointer(&m.getStr)}, "getIdx": {1, unsafe.Pointer(&m.getIdx)},
		"getSym":         {2, unsafe.Pointer(&m.getSym)},
		"hasPropertyStr": {3, unsafe.Pointer(&m.hasStr)}, "hasPropertyIdx": {4, unsafe.Pointer(&m.hasIdx)},
		"setForeignStr": {5, unsafe.Pointer(&m.setForeignStr)}, "setForeignIdx": {6, unsafe.Pointer(&m.setForeignIdx)},
		"setOwnStr": {7, unsafe.Pointer(&m.setOwnStr)}, "setOwnIdx": {8, unsafe.Pointer(&m.setOwnIdx)},
	}
	for i := range iface.NumMethod() {
		if f, ok := own[iface.Method(i).Name]; ok {
			m.codes[f.at] = methods[methodTableHead+i]
			*(**uintptr)(f.to) = &m.codes[f.at] // a function value is a pointer to the address of its code
		}
	}
}

// Poll makes goja's own functions obey Runtime.Interrupt where their lookups meet the end of a chain of prototypes;
// root is a runtime's Object.prototype. deep is called when such functions nest too deep, and panics. list is called
// with what a proxy's ownKeys trap has returned, before goja reads it. All runtimes have the same deep and the same
// list.
func (l *Layout) Poll(root *goja.Object, deep func(*goja.Runtime), list func(*goja.Runtime, *goja.Object)) {
	pollOnce.Do(func() { polled.deep, polled.list = deep, list })
	l.PollAt(root)
}

// PollAt is [Layout.Poll] for an object that has no prototype and so ends its chain itself. It reports false if objects
// of that kind (arrays, functions) cannot poll.
func (l *Layout) PollAt(o *goja.Object) bool {
	if rootKind(l.kind(o)) {
		return true
	}
	l.unwatched(o)
	pair := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	for i := range polled.kinds {
		m := &polled.kinds[i]
		switch pair[0] {
		case m.native:
			pair[0] = unsafe.Pointer(&m.table[0])
			return true
		case unsafe.Pointer(&m.table[0]):
			return true
		}
	}
	return false
}

// Polls makes lookups in o poll at the end of its chain of prototypes, and tells whether they do now. A proxy always
// polls.
func (l *Layout) Polls(o *goja.Object) bool {
	for o.ExportType() != ProxyType {
		next := o.Prototype()
		if next == nil {
			return l.PollAt(o)
		}
		o = next
	}
	return true
}

// maxFrames is how many frames of Go a stack may have. The deepest nesting of calls that Depths allow takes two thirds
// of it.
const maxFrames = 100_000

// DeepStack tells whether goja's own functions call each other too deep: a getter that is a bound Reflect.get, toString
// as an array's join, a prototype that is a proxy of its heir. No JavaScript function is among them, so that Depths do
// not count them, and Go ends the process when a stack is full. It walks over the stack: ask now and then.
func DeepStack() bool {
	var pc [1]uintptr
	return runtime.Callers(maxFrames, pc[:]) > 0
}

var pollOnce sync.Once

// lookups counts the lookups that poll. One in lookupsBetween calls DeepStack.
var lookups atomic.Uint32

const lookupsBetween = 4096

// overdue counts the lookups that met an interrupt. Only one in patience raises it: a function that makes only a few
// lookups ends soon, and its caller may not be prepared for a panic. A function whose lookups are far apart never gets
// that far, so an interrupt is raised, too, when a runtime's lookups have met it for patienceTime.
var overdue atomic.Uint32

const patience = 512

// waiting is the interrupt that lookups have met. If a long time lies between two lookups that meet one, the second
// meets the next interrupt of the runtime.
type waiting struct {
	rt          *goja.Runtime
	since, last time.Time
}

var waits struct {
	sync.Mutex // guards all below
	waiting
}

// Lookups may meet an interrupt for patienceTime. After otherInterrupt without one, the next that they meet is another.
const patienceTime, otherInterrupt = 50 * time.Millisecond, 5 * time.Second

// late tells whether lookups of rt have met an interrupt for long.
func late(rt *goja.Runtime, now time.Time) bool {
	w := &waits
	w.Lock()
	defer w.Unlock()
	if w.rt != rt || now.Sub(w.last) > otherInterrupt {
		w.waiting = waiting{rt: rt, since: now}
	}
	w.last = now
	if now.Sub(w.since) < patienceTime {
		return false
	}
	w.waiting = waiting{}
	return true
}

// poll looks for an interrupt and returns goja's own lookups for the object, one of which the caller then calls.
func poll(impl unsafe.Pointer) *pollMethods {
	object := *(*unsafe.Pointer)(unsafe.Add(impl, polled.object))
	rt := *(**goja.Runtime)(unsafe.Add(object, polled.runtime))
	if lookups.Add(1)%lookupsBetween == 0 && polled.deep != nil && DeepStack() {
		polled.deep(rt)
	}
	if polled.layout.Interrupted(rt) && (overdue.Add(1)%patience == 0 || late(rt, time.Now())) {
		polled.layout.RaiseInterrupt(rt)
	}
	m := &polled.kinds[1]
	if *(*unsafe.Pointer)(unsafe.Add(object, polled.layout.objectSelf)) != unsafe.Pointer(&m.table[0]) {
		m = &polled.kinds[0] // which may be watched
	}
	return m
}

var emptyProgram = goja.MustCompile("", "", true)

func pollGetStr(o unsafe.Pointer, name unistring.String, receiver goja.Value) goja.Value {
	return poll(o).getStr(o, name, receiver)
}

func pollGetIdx(o unsafe.Pointer, idx int64, receiver goja.Value) goja.Value {
	return poll(o).getIdx(o, idx, receiver)
}

func pollGetSym(o unsafe.Pointer, s *goja.Symbol, receiver goja.Value) goja.Value {
	return poll(o).getSym(o, s, receiver)
}

func pollHasStr(o unsafe.Pointer, name unistring.String) bool {
	return poll(o).hasStr(o, name)
}

func pollHasIdx(o unsafe.Pointer, idx int64) bool {
	return poll(o).hasIdx(o, idx)
}

func pollSetForeignStr(o unsafe.Pointer, name unistring.String, v, receiver goja.Value, throw bool) (bool, bool) {
	return poll(o).setForeignStr(o, name, v, receiver, throw)
}

func pollSetForeignIdx(o unsafe.Pointer, idx int64, v, receiver goja.Value, throw bool) (bool, bool) {
	return poll(o).setForeignIdx(o, idx, v, receiver, throw)
}

func pollSetOwnStr(o unsafe.Pointer, name unistring.String, v goja.Value, throw bool) bool {
	return poll(o).setOwnStr(o, name, v, throw)
}

func pollSetOwnIdx(o unsafe.Pointer, idx int64, v goja.Value, throw bool) bool {
	return poll(o).setOwnIdx(o, idx, v, throw)
}
