package webidl

import (
	"fmt"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// Realm holds what classes on one goja runtime share. Confined to the runtime's goroutine.
type Realm struct {
	rt           *goja.Runtime
	in           *gojainternals.Layout
	slot         *goja.Symbol
	domException *Interface
	errorCtor    *goja.Object
	// objectPrototype is that of instances whose constructor has none.
	objectPrototype *goja.Object
	// getDescriptor is Object.getOwnPropertyDescriptor, defineProperty Object.defineProperty.
	getDescriptor, defineProperty goja.Callable
	buffers                       bufferIntrinsics
	promises                      promises
	steps                         *gojainternals.Shape
	// spare is the Call of the getter before, nil while one runs.
	spare *Call

	// Panicked, if set, makes the error that a script gets in place of a Go panic in one of our functions, and reports
	// it. nil lets the panic go on. Set it before any function is called.
	Panicked func(cause any) goja.Value

	// Untagged leaves Symbol.toStringTag out of the classes that are defined from now on.
	Untagged bool

	// Reserve, if set, is told before so many bytes are taken at once; it ends the script if they are too many.
	Reserve func(bytes int64)
}

// Need calls Reserve, if there is one.
func (r *Realm) Need(bytes int) {
	if r.Reserve != nil {
		r.Reserve(int64(bytes))
	}
}

// NewRealm prepares rt: it hides the slot from reflection and installs the DOMException class. It must run before
// any user code.
func NewRealm(rt *goja.Runtime) *Realm {
	in, err := gojainternals.Read()
	if err != nil {
		panic(err) // ecma.Install comes first and has reported it
	}
	// it has no name, because goja builds the text for every definition
	r := &Realm{rt: rt, in: in, slot: gojainternals.Slot, steps: stepShape(in)}
	r.errorCtor = rt.Get("Error").ToObject(rt)
	r.objectPrototype = rt.NewObject().Prototype()
	r.defineProperty, _ = goja.AssertFunction(rt.Get("Object").ToObject(rt).Get("defineProperty"))
	r.getDescriptor, _ = goja.AssertFunction(rt.Get("Object").ToObject(rt).Get("getOwnPropertyDescriptor"))
	r.buffers = captureBuffers(rt)
	r.promises = capturePromises(rt)
	r.hideSlot()
	r.domException = defineDOMException(r).Install()
	return r
}

// Runtime is the goja runtime of this realm.
func (r *Realm) Runtime() *goja.Runtime { return r.rt }

// ASCII makes a text of a Go string that has nothing beyond ASCII.
func (r *Realm) ASCII(s string) goja.Value { return r.in.ASCII(s) }

// SetState puts state into obj: beside what the engine has of it or, if it is not a plain object, into a hidden slot.
func (r *Realm) SetState(obj *goja.Object, state any) {
	if r.in.SetState(obj, state) {
		return
	}
	slot := &slotValue{Value: goja.Undefined(), state: state, owner: obj}
	if err := obj.DefineDataPropertySymbol(r.slot, slot, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

// State is the Go value that SetState has put into v, or nil if v is not an instance of a platform class. An object
// that inherits from an instance, or a proxy of one, is no instance.
func (r *Realm) State(v goja.Value) any {
	obj, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	if state, ok := r.in.State(obj); ok {
		return state
	}
	if obj.ExportType() == gojainternals.ProxyType { // a proxy's traps must not run
		return nil
	}
	s, ok := obj.GetSymbol(r.slot).(*slotValue)
	if !ok || s.owner != obj {
		return nil
	}
	return s.state
}

// slotValue is what a slot holds. It carries the state for Go; a script that gets hold of it sees undefined. An object
// of the engine around the state would take three times the memory, and to read a slotValue allocates nothing.
type slotValue struct {
	goja.Value
	state any
	owner *goja.Object
}

// StateOf is State with a type: ok is false when v is not an instance whose state is a T.
func StateOf[T any](r *Realm, v goja.Value) (T, bool) {
	s, ok := r.State(v).(T)
	return s, ok
}

// hideSlot keeps the slot out of the functions that list symbols.
func (r *Realm) hideSlot() {
	replace := func(holder *goja.Object, name string, fn func(goja.FunctionCall) goja.Value) {
		r.defineFunction(holder, name, false, fn)
		_ = holder.Get(name).(*goja.Object).DefineDataProperty(
			"length", r.rt.ToValue(1), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	for _, place := range [][2]string{{"Object", "getOwnPropertySymbols"}, {"Reflect", "ownKeys"}} {
		holder := r.rt.Get(place[0]).ToObject(r.rt)
		orig, ok := goja.AssertFunction(holder.Get(place[1]))
		if !ok {
			panic("webidl: " + place[0] + "." + place[1] + " is missing")
		}
		replace(holder, place[1], func(call goja.FunctionCall) goja.Value {
			res, err := orig(call.This, call.Arguments...)
			if err != nil {
				panic(err)
			}
			if obj, ok := call.Argument(0).(*goja.Object); !ok || obj.GetSymbol(r.slot) == nil {
				return res
			}
			list := res.ToObject(r.rt)
			var kept []any
			for i := range int(list.Get("length").ToInteger()) {
				if v := list.Get(fmt.Sprint(i)); v != goja.Value(r.slot) {
					kept = append(kept, v)
				}
			}
			return r.rt.NewArray(kept...)
		})
	}
	object := r.rt.Get("Object").ToObject(r.rt)
	orig, _ := goja.AssertFunction(object.Get("getOwnPropertyDescriptors"))
	replace(object, "getOwnPropertyDescriptors", func(call goja.FunctionCall) goja.Value {
		res, err := orig(call.This, call.Arguments...)
		if err != nil {
			panic(err)
		}
		_ = res.ToObject(r.rt).DeleteSymbol(r.slot)
		return res
	})
}

func (r *Realm) defineFunction(
	holder *goja.Object, name string, enumerable bool, fn func(goja.FunctionCall) goja.Value) {
	e := goja.FLAG_FALSE
	if enumerable {
		e = goja.FLAG_TRUE
	}
	if err := holder.DefineDataProperty(name, r.Function(name, fn), goja.FLAG_TRUE, goja.FLAG_TRUE, e); err != nil {
		panic(err)
	}
}

// Function makes a JavaScript function of that name with length 0.
func (r *Realm) Function(name string, fn func(goja.FunctionCall) goja.Value) *goja.Object {
	f := r.rt.ToValue(func(fc goja.FunctionCall) goja.Value {
		defer r.contain()
		return fn(fc)
	}).(*goja.Object)
	r.setName(f, name)
	return f
}

// Constructible lets new work on a function that Function or the engine has made of a Go function. construct gives the
// object, whatever class a script has derived from f.
func (r *Realm) Constructible(f *goja.Object, construct func(args []goja.Value) *goja.Object) {
	n, ok := r.in.Native(f)
	if !ok {
		panic("webidl: only a native function can be made constructible")
	}
	*n.Construct = func(args []goja.Value, _ *goja.Object) *goja.Object {
		defer r.contain()
		return construct(args)
	}
}

func (r *Realm) setName(f *goja.Object, name string) {
	if err := f.DefineDataProperty(
		"name", r.rt.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}
