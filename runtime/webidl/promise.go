package webidl

import (
	"reflect"

	"github.com/dop251/goja"
)

// Promised runs f and answers with a promise for its result: a rejected one if f throws, f's own promise if it
// returns one.
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

// settle panics with what cannot be caught (an interrupt): it must end the turn.
func (r *Realm) settle(f func(any) error, v goja.Value) {
	if err := f(v); err != nil {
		panic(err)
	}
}

// Then calls one of the functions when v, a promise or any value, is settled. Both run as microtasks; either may be
// nil.
func (r *Realm) Then(v goja.Value, onValue, onError func(goja.Value)) {
	promise := r.rt.Get("Promise").ToObject(r.rt)
	if !IsPromise(v) {
		resolve, _ := goja.AssertFunction(promise.Get("resolve"))
		p, err := resolve(promise, orUndefined(v))
		if err != nil {
			panic(err)
		}
		v = p
	}
	then, _ := goja.AssertFunction(promise.Get("prototype").ToObject(r.rt).Get("then"))
	wrap := func(f func(goja.Value)) goja.Value {
		return r.rt.ToValue(func(fc goja.FunctionCall) goja.Value {
			defer r.contain()
			if f != nil {
				f(fc.Argument(0))
			}
			return goja.Undefined()
		})
	}
	if _, err := then(v, wrap(onValue), wrap(onError)); err != nil {
		panic(err)
	}
}

// IsPromise tells whether v is a native promise.
func IsPromise(v goja.Value) bool {
	// Not by Export, which copies whole objects, and panics on typed arrays whose buffer is detached.
	obj, ok := v.(*goja.Object)
	return ok && obj.ExportType() == promiseType
}

var promiseType = reflect.TypeFor[*goja.Promise]()
