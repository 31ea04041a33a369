package webidl

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// Promised runs f and returns a promise for its result: a rejected one if f throws, f's own promise if it returns one.
func (r *Realm) Promised(f func() goja.Value) goja.Value {
	var v goja.Value
	if ex := r.Try(func() { v = f() }); ex != nil {
		return r.Rejected(ex)
	}
	if IsPromise(v) {
		return v
	}
	return r.Resolved(orUndefined(v))
}

// NewPromise is a pending promise with the functions that settle it, of which the first call counts. They fail with
// what a script cannot catch. Unlike goja's, neither is an object of scripts.
func (r *Realm) NewPromise() (promise *goja.Promise, resolve, reject func(v any) error) {
	o := r.in.NewPromise(r.rt)
	settled := false
	settle := func(rejects bool, v any) error {
		if !settled {
			settled = true
			r.in.Settle(r.rt, o, rejects, r.rt.ToValue(v))
		}
		return nil
	}
	return o.Export().(*goja.Promise), func(v any) error { return settle(false, v) },
		func(v any) error { return settle(true, v) }
}

// Resolved is a promise resolved with v.
func (r *Realm) Resolved(v goja.Value) goja.Value {
	p := r.in.NewPromise(r.rt)
	r.in.Settle(r.rt, p, false, orUndefined(v))
	return p
}

// Rejected is a promise rejected with v.
func (r *Realm) Rejected(v goja.Value) goja.Value {
	p := r.in.NewPromise(r.rt)
	r.in.Settle(r.rt, p, true, orUndefined(v))
	return p
}

// Fulfilled is the value of a promise that has one; ok is false for whatever else there is.
func (r *Realm) Fulfilled(v goja.Value) (value goja.Value, ok bool) { return r.in.Fulfilled(v) }

// Turn runs f as one call into the engine, and then the microtasks. No script runs when it is called. What f throws it
// must catch.
func (r *Realm) Turn(f func()) { r.in.Turn(r.rt, f) }

// Call calls a function; err is what it has thrown, or why it was ended.
func (r *Realm) Call(f *goja.Object, this goja.Value, args ...goja.Value) (goja.Value, error) {
	if promise, ok := r.in.CallAsync(r.rt, f, this, args...); ok {
		return promise, nil
	}
	fn, ok := goja.AssertFunction(f)
	if !ok {
		panic("webidl: Call of what is no function")
	}
	return fn(this, args...)
}

// Then calls one of the functions when v, a promise or any value, is settled. Both run as microtasks; either may be
// nil. Then uses the intrinsics, whatever scripts have done to the global Promise, and makes no other promise.
func (r *Realm) Then(v goja.Value, onValue, onError func(goja.Value)) {
	if !IsPromise(v) {
		p, err := r.promises.resolve(r.promises.class, orUndefined(v))
		if err != nil {
			panic(err)
		}
		v = p
	}
	r.in.Then(r.rt, v.(*goja.Object), r.reacts(onValue), r.reacts(onError))
}

// reacts is f as a promise calls it.
func (r *Realm) reacts(f func(goja.Value)) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		defer r.contain()
		if f != nil {
			r.in.InJob(r.rt, func() { f(call.Argument(0)) })
		}
		return goja.Undefined()
	}
}

// promises holds the intrinsics that Then needs.
type promises struct {
	class   *goja.Object
	resolve goja.Callable
}

func capturePromises(rt *goja.Runtime) promises {
	class := rt.Get("Promise").ToObject(rt)
	resolve, _ := goja.AssertFunction(class.Get("resolve"))
	return promises{class: class, resolve: resolve}
}

// IsPromise tells whether v is a native promise.
func IsPromise(v goja.Value) bool {
	// Export would copy whole objects, and it panics on typed arrays whose buffer is detached.
	obj, ok := v.(*goja.Object)
	return ok && obj.ExportType() == gojainternals.PromiseType
}
