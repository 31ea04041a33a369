package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
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

// awaitingObject stands in the place of await.
type awaitingObject struct {
	goja   instruction
	layout *Layout
}

func (a *awaitingObject) wrapped() instruction { return a.goja }

func (a *awaitingObject) exec(vm unsafe.Pointer) {
	l := a.layout
	m := &l.machine
	stack := *(*[]goja.Value)(unsafe.Add(vm, m.stack))
	i := *(*int)(unsafe.Add(vm, m.sp)) - 1
	if i < 0 || i >= len(stack) || stack[i] == nil {
		a.goja.exec(vm)
		return
	}
	v := stack[i]
	o, isObject := v.(*goja.Object)
	if isObject && l.kind(o) != l.awaiting.promise {
		v = l.promiseOf(*(**goja.Runtime)(unsafe.Add(vm, m.runtime)), o)
		o = v.(*goja.Object)
		(*(*[]goja.Value)(unsafe.Add(vm, m.stack)))[i] = v
	}
	if (!isObject || l.ownPromise(vm, o)) && looks.Load() == 0 && !l.interrupted(vm) {
		if call := l.running(vm); call != nil {
			l.wait(vm, call, o, v)
			return
		}
	}
	if !isObject {
		if p := l.fulfilled(vm, v); p != nil {
			stack[i] = p
		}
	}
	a.goja.exec(vm)
}

// ownPromise tells whether a promise is awaited as it is, without a look at what scripts have changed.
func (l *Layout) ownPromise(vm unsafe.Pointer, o *goja.Object) bool {
	global := unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(vm, l.machine.runtime)), l.quick.global)
	data := l.data(o)
	proto := *(**goja.Object)(unsafe.Add(global, l.async.promises))
	if proto == nil || *(**goja.Object)(unsafe.Add(data, l.plain.prototype)) != proto {
		return false
	}
	if own := *(*map[unistring.String]goja.Value)(unsafe.Add(data, l.quick.copies.values)); len(own) > 0 {
		if _, has := own["constructor"]; has {
			return false
		}
	}
	constructor, _ := l.held(proto, "constructor")
	return constructor != nil && kindOf(constructor) == l.quick.object &&
		pair(&constructor)[1] == *(*unsafe.Pointer)(unsafe.Add(global, l.async.promise))
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
