package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// Promised is what [Layout.WatchPromises] calls: with a promise that an async function begins to await (awaited), or
// that new has just made. The promise is pending.
type Promised func(rt *goja.Runtime, p *goja.Object, awaited bool)

// awaitFields are how goja's compiler writes await, and new.
type awaitFields struct {
	await   instruction // there is one of it
	promise unsafe.Pointer
}

func (l *Layout) readAwaits(r *reader) {
	if r.err != nil {
		return
	}
	p, err := goja.Compile("probe.js", "(async function () { await 0 })", true)
	if err != nil {
		r.fail("probe of await failed: %v", err)
		return
	}
	n := 0
	l.eachInstruction(p, func(_ *instruction, in instruction) {
		if t := reflect.TypeOf(in); t.Kind() == reflect.Pointer && t.Elem().Name() == "yieldMarker" {
			l.awaiting.await = in
			n++
		}
	})
	if n != 1 {
		r.fail("program with one await has %d instructions for it", n)
		return
	}
	l.awaiting.promise = l.kind(r.object("new Promise(() => {})"))
}

func (l *Layout) awaits(in instruction) bool {
	return dataOf(in) == dataOf(l.awaiting.await) && reflect.TypeOf(in) == reflect.TypeOf(l.awaiting.await)
}

// AwaitObjects makes a freshly compiled program await objects that are no promises by their then. goja takes every
// object whose constructor is Promise for a promise, and panics if it is a proxy of one, or only inherits from
// Promise.prototype.
func (l *Layout) AwaitObjects(p *goja.Program) {
	l.eachInstruction(p, func(place *instruction, in instruction) {
		if l.awaits(in) {
			*place = &awaitingObject{goja: *place, layout: l}
		}
	})
}

// awaitingObject stands in the place of await.
type awaitingObject struct {
	goja   instruction
	layout *Layout
}

func (a *awaitingObject) wrapped() instruction { return a.goja }

func (a *awaitingObject) exec(vm unsafe.Pointer) {
	m := &a.layout.machine
	stack := *(*[]goja.Value)(unsafe.Add(vm, m.stack))
	if i := *(*int)(unsafe.Add(vm, m.sp)) - 1; i >= 0 && i < len(stack) {
		o, ok := stack[i].(*goja.Object)
		switch {
		case ok && a.layout.kind(o) != a.layout.awaiting.promise:
			stack[i] = a.layout.promiseOf(*(**goja.Runtime)(unsafe.Add(vm, m.runtime)), o)
		case !ok && stack[i] != nil:
			if p := a.layout.fulfilled(vm, stack[i]); p != nil {
				stack[i] = p
			}
		}
	}
	a.goja.exec(vm)
}

// promiseOf is a new promise that is resolved with an object.
func (l *Layout) promiseOf(rt *goja.Runtime, o *goja.Object) goja.Value {
	p, resolve, _ := rt.NewPromise()
	// It fails only if a script is being interrupted, which the machine notices by itself.
	l.InJob(rt, func() { _ = resolve(o) })
	return rt.ToValue(p)
}

// WatchPromises makes a freshly compiled program call f before it awaits a promise that is pending, and after it has
// made one with new. It is called on the goroutine of whichever runtime runs the program.
func (l *Layout) WatchPromises(p *goja.Program, f Promised) {
	l.eachInstruction(p, func(place *instruction, in instruction) {
		switch {
		case l.awaits(in):
			*place = &promising{goja: *place, layout: l, hook: f, awaits: true}
		case traitsOf(in).name == "_new":
			*place = &promising{goja: *place, layout: l, hook: f}
		}
	})
}

// promising stands in the place of an instruction that takes a promise from the stack, or leaves one there.
type promising struct {
	goja   instruction
	layout *Layout
	hook   Promised
	awaits bool
}

func (p *promising) wrapped() instruction { return p.goja }

func (p *promising) exec(vm unsafe.Pointer) {
	if p.awaits {
		p.tell(vm)
		p.goja.exec(vm)
		return
	}
	p.goja.exec(vm)
	p.tell(vm)
}

func (p *promising) tell(vm unsafe.Pointer) {
	rt := *(**goja.Runtime)(unsafe.Add(vm, p.layout.machine.runtime))
	o, ok := p.layout.Operand(rt, 0).(*goja.Object)
	if !ok || p.layout.kind(o) != p.layout.awaiting.promise || !Pending(o) {
		return
	}
	p.hook(rt, o, p.awaits)
}

// Pending tells whether an object is a promise that is not settled.
func Pending(o *goja.Object) bool {
	p, ok := o.Export().(*goja.Promise)
	return ok && p.State() == goja.PromiseStatePending
}
