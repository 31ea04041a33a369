package worker

import (
	"github.com/dop251/goja"
)

// Handler is a handler function together with what it is called on.
type Handler struct {
	This goja.Value
	Fn   *goja.Object
}

// Call calls the handler with the event's own arguments, then env and ctx: handlers of plain objects and methods of
// WorkerEntrypoint classes are given the same three (C-1).
func (h Handler) Call(inv *Invocation, args ...goja.Value) goja.Value {
	v, err := inv.Isolate.Realm.Call(h.Fn, h.This, append(args, inv.env, inv.Context())...)
	if err != nil {
		panic(inv.Isolate.Realm.ErrorValue(err))
	}
	return v
}

// Handler finds the handler of that name on the export that handles the invocation. ok is false when the export has
// no such function; the caller knows the platform's text for that.
func (inv *Invocation) Handler(name string) (h Handler, ok bool) {
	target := inv.Target()
	obj, isObj := target.(*goja.Object)
	if !isObj {
		return Handler{}, false
	}
	fn, isObj := obj.Get(name).(*goja.Object)
	if !isObj {
		return Handler{}, false
	}
	if fn != inv.Isolate.called { // else it was looked at before
		if _, ok = goja.AssertFunction(fn); !ok {
			return Handler{This: obj, Fn: fn}, false
		}
		inv.Isolate.called = fn
	}
	return Handler{This: obj, Fn: fn}, true
}

// Target is the object whose methods handle the invocation: the exported object itself, or a new instance of the
// exported WorkerEntrypoint class. Nil if there is no such export.
func (inv *Invocation) Target() goja.Value {
	iso := inv.Isolate
	name := inv.Entrypoint
	if name == "" {
		name = "default"
	}
	v := iso.Export(name)
	obj, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	if _, isFn := goja.AssertFunction(obj); isFn && iso.Extends(obj, iso.bases.workerEntrypoint) {
		inst, err := iso.Runtime().New(obj, inv.Context(), inv.env)
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		inv.instance = inst
		return inst
	}
	return obj
}

// EntrypointNames are the exports that can be called as entrypoints: classes that extend WorkerEntrypoint.
func (iso *Isolate) EntrypointNames() []string {
	var names []string
	for _, n := range iso.ExportNames() {
		if c, ok := iso.Export(n).(*goja.Object); ok {
			if _, isFn := goja.AssertFunction(c); isFn && iso.Extends(c, iso.bases.workerEntrypoint) {
				names = append(names, n)
			}
		}
	}
	return names
}

// InstanceOfEntrypoint tells whether v is an instance of a WorkerEntrypoint class, rather than a plain object of
// handlers.
func (iso *Isolate) InstanceOfEntrypoint(v *goja.Object) bool {
	base, _ := iso.bases.workerEntrypoint.Get("prototype").(*goja.Object)
	for p := v.Prototype(); p != nil; p = p.Prototype() {
		if p == base {
			return true
		}
	}
	return false
}

// IsEntrypoint tells whether an export can be called as an entrypoint: a WorkerEntrypoint class, or an object of
// handlers (CL12).
func (iso *Isolate) IsEntrypoint(name string) bool {
	v, ok := iso.Export(name).(*goja.Object)
	if !ok {
		return false
	}
	if _, isFn := goja.AssertFunction(v); isFn {
		return iso.Extends(v, iso.bases.workerEntrypoint)
	}
	for _, key := range v.Keys() {
		if _, isFn := goja.AssertFunction(v.Get(key)); isFn {
			return true
		}
	}
	return name == "default"
}
