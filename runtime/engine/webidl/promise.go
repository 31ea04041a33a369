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
// nil. Then uses the intrinsics, whatever scripts have done to the global Promise.
func (r *Realm) Then(v goja.Value, onValue, onError func(goja.Value)) {
	if !IsPromise(v) {
		p, err := r.promises.resolve(r.promises.class, orUndefined(v))
		if err != nil {
			panic(err)
		}
		v = p
	}
	x := r.reaction()
	x.onValue, x.onError = onValue, onError
	if _, err := r.promises.then(v, x.fulfilled, x.rejected); err != nil {
		panic(err)
	}
}

// promises holds the intrinsics that Then needs. idle has the pairs of functions for which no promise waits.
type promises struct {
	class         *goja.Object
	resolve, then goja.Callable
	idle          []*reaction
}

func capturePromises(rt *goja.Runtime) promises {
	class := rt.Get("Promise").ToObject(rt)
	resolve, _ := goja.AssertFunction(class.Get("resolve"))
	then, _ := goja.AssertFunction(class.Get("prototype").ToObject(rt).Get("then"))
	return promises{class: class, resolve: resolve, then: then}
}

// reaction is a pair of functions for one then. A promise calls one of the two, once, and scripts never see them. After
// that the pair serves the next then, because making two functions costs as much as the rest of a then.
type reaction struct {
	fulfilled, rejected *goja.Object
	onValue, onError    func(goja.Value)
}

const maxIdleReactions = 64

func (r *Realm) reaction() *reaction {
	if n := len(r.promises.idle); n > 0 {
		x := r.promises.idle[n-1]
		r.promises.idle = r.promises.idle[:n-1]
		return x
	}
	x := &reaction{}
	react := func(which *func(goja.Value)) *goja.Object {
		return r.rt.ToValue(func(fc goja.FunctionCall) goja.Value {
			defer r.contain()
			f := *which
			x.onValue, x.onError = nil, nil
			if len(r.promises.idle) < maxIdleReactions {
				r.promises.idle = append(r.promises.idle, x)
			}
			if f != nil {
				r.in.InJob(r.rt, func() { f(fc.Argument(0)) })
			}
			return goja.Undefined()
		}).(*goja.Object)
	}
	x.fulfilled, x.rejected = react(&x.onValue), react(&x.onError)
	return x
}

// IsPromise tells whether v is a native promise.
func IsPromise(v goja.Value) bool {
	// Export would copy whole objects, and it panics on typed arrays whose buffer is detached.
	obj, ok := v.(*goja.Object)
	return ok && obj.ExportType() == gojainternals.PromiseType
}
