package gojainternals

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// An interrupt is seen between two instructions, and goja's own functions never look for it: indexOf over an array-like
// of nine quadrillion elements, or JSON.stringify of a tree whose branches are one object, would keep the goroutine for
// ever. But what such a function asks an object for and does not find there, it asks its prototypes for, and so in the
// end Object.prototype. So that object gets a method table whose lookups poll.

// pollMethods are goja's own lookups. Filled once, by Read.
var pollMethods struct {
	table []uintptr
	codes [7]uintptr

	getStr        func(unsafe.Pointer, unistring.String, goja.Value) goja.Value
	getIdx        func(unsafe.Pointer, int64, goja.Value) goja.Value
	getSym        func(unsafe.Pointer, *goja.Symbol, goja.Value) goja.Value
	hasStr        func(unsafe.Pointer, unistring.String) bool
	hasIdx        func(unsafe.Pointer, int64) bool
	setForeignStr func(unsafe.Pointer, unistring.String, goja.Value, goja.Value, bool) (bool, bool)
	setForeignIdx func(unsafe.Pointer, int64, goja.Value, goja.Value, bool) (bool, bool)

	object  uintptr // of the implementation, the way back to the *goja.Object
	runtime uintptr // of a goja.Object
	layout  *Layout
	deep    func(*goja.Runtime)
}

func (l *Layout) readPolling(r *reader) {
	probe := r.object("Object.prototype")
	if r.err != nil {
		return
	}
	m := &pollMethods
	_, iface := r.field(reflect.TypeFor[goja.Object](), "self", nil)
	concrete, _ := self(probe)
	m.runtime, _ = r.field(reflect.TypeFor[goja.Object](), "runtime", reflect.TypeFor[*goja.Runtime]())
	m.object, _ = r.field(concrete.Elem(), "val", reflect.TypeFor[*goja.Object]())
	m.layout = l
	if r.err != nil {
		return
	}
	tab := l.kind(probe)
	m.table, r.err = methodTable(iface, concrete, tab, map[string]any{
		"getStr": pollGetStr, "getIdx": pollGetIdx, "getSym": pollGetSym, "hasPropertyStr": pollHasStr,
		"hasPropertyIdx": pollHasIdx,
		"setForeignStr":  pollSetForeignStr, "setForeignIdx": pollSetForeignIdx,
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
	}
	for i := range iface.NumMethod() {
		if f, ok := own[iface.Method(i).Name]; ok {
			m.codes[f.at] = methods[methodTableHead+i]
			*(**uintptr)(f.to) = &m.codes[f.at] // a function value is a pointer to the address of its code
		}
	}
}

// Poll has goja's own functions obey Runtime.Interrupt where they meet the end of a chain of prototypes: root is a
// runtime's Object.prototype. deep, the same for all runtimes, is called when they nest too deep; it panics.
func (l *Layout) Poll(root *goja.Object, deep func(*goja.Runtime)) {
	pollOnce.Do(func() { pollMethods.deep = deep })
	pair := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(root), l.objectSelf))
	pair[0] = unsafe.Pointer(&pollMethods.table[0])
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

// lookups counts those that poll, for DeepStack.
var lookups atomic.Uint32

const lookupsBetween = 1024

// overdue counts lookups that met an interrupt: a function that makes only a few goes on, for it is over soon and its
// caller may not be prepared.
var overdue atomic.Uint32

const patience = 512

func poll(impl unsafe.Pointer) {
	m := &pollMethods
	if lookups.Add(1)%lookupsBetween == 0 && m.deep != nil && DeepStack() {
		object := *(*unsafe.Pointer)(unsafe.Add(impl, m.object))
		m.deep(*(**goja.Runtime)(unsafe.Add(object, m.runtime)))
	}
	object := *(*unsafe.Pointer)(unsafe.Add(impl, m.object))
	rt := *(**goja.Runtime)(unsafe.Add(object, m.runtime))
	if m.layout.Interrupted(rt) && overdue.Add(1)%patience == 0 {
		m.layout.RaiseInterrupt(rt)
	}
}

var emptyProgram = goja.MustCompile("", "", true)

// RaiseInterrupt ends the native function that runs if Runtime.Interrupt was called: it panics as goja does between two
// instructions.
func (l *Layout) RaiseInterrupt(rt *goja.Runtime) {
	if !l.Interrupted(rt) {
		return
	}
	if _, err := rt.RunProgram(emptyProgram); err != nil {
		panic(err)
	}
}

func pollGetStr(o unsafe.Pointer, name unistring.String, receiver goja.Value) goja.Value {
	poll(o)
	return pollMethods.getStr(o, name, receiver)
}

func pollGetIdx(o unsafe.Pointer, idx int64, receiver goja.Value) goja.Value {
	poll(o)
	return pollMethods.getIdx(o, idx, receiver)
}

func pollGetSym(o unsafe.Pointer, s *goja.Symbol, receiver goja.Value) goja.Value {
	poll(o)
	return pollMethods.getSym(o, s, receiver)
}

func pollHasStr(o unsafe.Pointer, name unistring.String) bool {
	poll(o)
	return pollMethods.hasStr(o, name)
}

func pollHasIdx(o unsafe.Pointer, idx int64) bool {
	poll(o)
	return pollMethods.hasIdx(o, idx)
}

func pollSetForeignStr(o unsafe.Pointer, name unistring.String, v, receiver goja.Value, throw bool) (bool, bool) {
	poll(o)
	return pollMethods.setForeignStr(o, name, v, receiver, throw)
}

func pollSetForeignIdx(o unsafe.Pointer, idx int64, v, receiver goja.Value, throw bool) (bool, bool) {
	poll(o)
	return pollMethods.setForeignIdx(o, idx, v, receiver, throw)
}
