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

// Resolved is a promise resolved with v.
func (r *Realm) Resolved(v goja.Value) goja.Value {
	p, resolve, _ := r.rt.NewPromise()
	r.settle(resolve, orUndefined(v))
	return r.rt.ToValue(p)
}

// Rejected is a promise rejected with v.
func (r *Realm) Rejected(v goja.Value) goja.Value {
	p, _, reject := r.rt.NewPromise()
	r.settle(reject, v)
	return r.rt.ToValue(p)
}

// settle calls the resolve or reject function of a promise. These fail only with what a script cannot catch, an
// interrupt; settle panics with it, so that the turn ends.
func (r *Realm) settle(f func(any) error, v goja.Value) {
	if err := f(v); err != nil {
		panic(err)
	}
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
