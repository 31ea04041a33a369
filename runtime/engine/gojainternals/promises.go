package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
)

// What the platform promises and what a Go function calls: promises without goja's two resolving functions, which are
// objects with properties of their own, and async functions that native code begins.

// NewPromise is a pending promise of the runtime's own class, which Settle settles, once.
func (l *Layout) NewPromise(rt *goja.Runtime) *goja.Object {
	global := unsafe.Add(unsafe.Pointer(rt), l.quick.global)
	proto := *(**goja.Object)(unsafe.Add(global, l.async.promises))
	if proto == nil { // goja makes it with the first promise
		rt.NewPromise()
		proto = *(**goja.Object)(unsafe.Add(global, l.async.promises))
	}
	return l.pending(rt, proto)
}

// Settle resolves or rejects a promise of NewPromise, which is pending still. Outside of calls the microtasks that wait
// run before it returns.
func (l *Layout) Settle(rt *goja.Runtime, promise *goja.Object, rejects bool, v goja.Value) {
	if rejects || !l.fulfil(promise, v) {
		end := l.resolve
		if rejects {
			end = l.reject
		}
		rt.Try(func() { end(promise, v) })
	}
	if l.Depth(rt) == 0 {
		l.RunJobs(rt)
	}
}

// Fulfilled is the value of a promise that has one; ok is false for whatever else there is.
func (l *Layout) Fulfilled(v goja.Value) (value goja.Value, ok bool) {
	o, is := v.(*goja.Object)
	if !is || l.kind(o) != l.awaiting.promise {
		return nil, false
	}
	p := l.data(o)
	if *(*goja.PromiseState)(unsafe.Add(p, l.async.state)) != goja.PromiseStateFulfilled {
		return nil, false
	}
	return *(*goja.Value)(unsafe.Add(p, l.async.value)), true
}

// React calls one of two functions of a script in a job when a promise is settled, as Promise.prototype.then does. It
// makes a promise only of what a function throws, or of an exception for which there is no function, so that somebody
// hears of it. What is no function is not called.
func (l *Layout) React(rt *goja.Runtime, o *goja.Object, onValue, onError goja.Value) {
	d := &derived{alone: true}
	d.capability.promise = o
	d.await(rt, o, l.reactsTo(o, onValue, onError))
}

// Derive is React that makes the promise which Promise.prototype.then gives. Both ask nothing that scripts can change.
func (l *Layout) Derive(rt *goja.Runtime, o *goja.Object, onValue, onError goja.Value) *goja.Object {
	d := &derived{}
	d.capability.promise = l.NewPromise(rt)
	d.await(rt, o, l.reactsTo(o, onValue, onError))
	return d.capability.promise
}

// reactsTo is what is called when a promise is settled.
func (l *Layout) reactsTo(o *goja.Object, onValue, onError goja.Value) (
	callbacks [2]func(goja.FunctionCall) goja.Value) {
	if l.kind(o) != l.awaiting.promise {
		panic("gojainternals: a reaction to what is no promise")
	}
	for i, v := range [2]goja.Value{onValue, onError} {
		if f, is := v.(*goja.Object); is {
			callbacks[i], _ = l.Call(f)
		}
	}
	return callbacks
}

// Handle notes that somebody hears of the promise's rejection.
func (l *Layout) Handle(rt *goja.Runtime, o *goja.Object) {
	f, p := &l.reactions, l.data(o)
	handled := (*bool)(unsafe.Add(p, f.handled))
	if !*handled && *(*goja.PromiseState)(unsafe.Add(p, l.async.state)) == goja.PromiseStateRejected {
		if told := *(*goja.PromiseRejectionTracker)(unsafe.Add(unsafe.Pointer(rt), f.rejections)); told != nil {
			told((*goja.Promise)(p), goja.PromiseRejectionHandle)
		}
	}
	*handled = true
}

// NewPromise is [Layout.NewPromise] of the machine's runtime.
func (m Machine) NewPromise() *goja.Object { return m.layout.NewPromise(m.rt) }

// Settle is [Layout.Settle] of the machine's runtime.
func (m Machine) Settle(promise *goja.Object, rejects bool, v goja.Value) {
	m.layout.Settle(m.rt, promise, rejects, v)
}

// CallAsync calls an async function, which gives a promise. ok is false if f is none, or goja must call it; then
// nothing has happened. A call under way does not end with it: no microtask runs.
func (l *Layout) CallAsync(rt *goja.Runtime, f *goja.Object, this goja.Value, args ...goja.Value) (
	promise *goja.Object, ok bool) {
	if l.Depth(rt) == 0 {
		return nil, false
	}
	kind := l.kind(f)
	for i := range l.async.kinds {
		k := &l.async.kinds[i]
		if !k.is(kind) {
			continue
		}
		vm := l.vm(rt)
		sp := *(*int)(unsafe.Add(vm, l.machine.sp))
		at := (*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
		for need := sp + len(args) + 2; len(*at) < need; {
			if cap(*at) >= need {
				*at = (*at)[:need]
			} else {
				*at = append(*at, make([]goja.Value, max(need, 256)-len(*at))...)
			}
		}
		stack := (*at)[sp:]
		stack[0], stack[1] = this, f
		copy(stack[2:], args)
		*(*int)(unsafe.Add(vm, l.machine.sp)) = sp + len(args) + 2
		pc := (*int)(unsafe.Add(vm, l.quick.pc))
		was := *pc
		ok := l.beginAsync(vm, f, k, len(args))
		*pc = was
		*(*int)(unsafe.Add(vm, l.machine.sp)) = sp
		if !ok {
			return nil, false
		}
		return (*at)[sp].(*goja.Object), true
	}
	return nil, false
}

// Turn runs f as one call, as [Layout.InJob] does, and then the microtasks. It is called when no script runs. What f
// calls shares one stack, and no microtask comes before f has ended. If f panics, microtasks are dropped.
func (l *Layout) Turn(rt *goja.Runtime, f func()) {
	if l.Depth(rt) > 0 {
		f()
		return
	}
	whole := false
	defer func() {
		if !whole {
			*l.jobs(rt) = nil
		}
	}()
	l.InJob(rt, f)
	whole = true
	if len(*l.jobs(rt)) > 0 {
		l.RunJobs(rt)
		return
	}
	stack := (*[]goja.Value)(unsafe.Add(l.vm(rt), l.machine.stack))
	if all := (*stack)[:cap(*stack)]; len(all) <= mostIdle {
		clear(all) // for the next turn
	} else {
		*stack = nil
	}
}

// mostIdle is for how many values a stack may have room between two turns.
const mostIdle = 2048
