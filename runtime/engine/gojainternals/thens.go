package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// goja's Promise.prototype.then makes two resolving functions, objects with properties of their own, for a promise that
// only its reactions ever resolve. Ours makes the promise, and all else in one piece.

// thenFields say where a constructor keeps what it has under symbols.
type thenFields struct {
	tables             [2][]uintptr // the method tables of what resolves the promise, and of what rejects it
	codes              [2]uintptr
	symbols, first     uintptr // of a constructor, and of what it has there
	key, value, behind uintptr // of an entry
	species            goja.Value
}

// capability mirrors goja's promiseCapability.
type capability struct{ promise, resolveObj, rejectObj *goja.Object }

// derived is what a call of then makes beside the promise.
type derived struct {
	capability capability
	settlers   [2]goja.Object
	ends       [2]boundMethod
	reacting   reacting
	alone      bool // there is no promise; that of the capability is the one whose reactions these are
}

func (l *Layout) readThens(r *reader) {
	t := &l.thens
	_, impl := r.field(reflect.TypeFor[goja.Object](), "self", nil)
	r.mirror(l.machine.capability, reflect.TypeFor[capability]())
	plain, class := r.object("({})"), r.object("Promise")
	if r.err != nil {
		return
	}
	concrete, _ := self(plain)
	for i, f := range []any{derivedResolves, derivedRejects} {
		t.tables[i], r.err = methodTable(impl, concrete, l.kind(plain), map[string]any{"assertCallable": f})
		if r.err != nil {
			return
		}
	}
	var probe derived
	t.codes = [2]uintptr{codeOf(probe.resolve), codeOf(probe.reject)}
	kind, data := self(class)
	var symbols, entry reflect.Type
	t.symbols, symbols = r.field(kind.Elem(), "symValues", nil)
	if r.err != nil {
		return
	}
	if symbols.Kind() != reflect.Pointer || symbols.Elem().Kind() != reflect.Struct {
		r.fail("Promise keeps symbols in a %s", symbols)
		return
	}
	t.first, entry = r.field(symbols.Elem(), "iterFirst", nil)
	if r.err != nil {
		return
	}
	t.key, _ = r.field(entry.Elem(), "key", reflect.TypeFor[goja.Value]())
	t.value, _ = r.field(entry.Elem(), "value", reflect.TypeFor[goja.Value]())
	t.behind, _ = r.field(entry.Elem(), "iterNext", entry)
	t.species = goja.SymSpecies
	if r.err == nil && l.speciesOf(data) == nil {
		r.fail("Promise has no species")
	}
}

// speciesOf is the entry of a constructor's species, whose implementation is at data; nil if there is none.
func (l *Layout) speciesOf(data unsafe.Pointer) unsafe.Pointer {
	return l.symbolEntry(data, l.thens.species)
}

// symbolEntry is the entry under a symbol of an object whose implementation is at data; nil if there is none.
func (l *Layout) symbolEntry(data unsafe.Pointer, symbol goja.Value) unsafe.Pointer {
	t := &l.thens
	symbols := *(*unsafe.Pointer)(unsafe.Add(data, t.symbols))
	if symbols == nil {
		return nil
	}
	e := *(*unsafe.Pointer)(unsafe.Add(symbols, t.first))
	for e != nil && pair((*goja.Value)(unsafe.Add(e, t.key)))[1] != pair(&symbol)[1] { // all keys are symbols
		e = *(*unsafe.Pointer)(unsafe.Add(e, t.behind))
	}
	return e
}

// getterOf is the getter of an entry; nil if it has none.
func (l *Layout) getterOf(entry unsafe.Pointer) *goja.Object {
	v := *(*goja.Value)(unsafe.Add(entry, l.thens.value))
	if p := pair(&v); v != nil && p[0] == l.quick.accessor {
		return *(**goja.Object)(unsafe.Add(p[1], l.regions.getter))
	}
	return nil
}

// quickThen is what QuickThen knows of a runtime.
type quickThen struct {
	layout  *Layout
	rt      *goja.Runtime
	vm      unsafe.Pointer
	proto   *goja.Object
	species unsafe.Pointer // the entry of the class
	getter  *goja.Object   // that was there first
	next    func(goja.FunctionCall) goja.Value
}

// quickThenCode is the code of quickThen.then, bound to a runtime's.
var quickThenCode uintptr

// QuickThen puts ours in the place of a runtime's Promise.prototype.then. It hands to goja's what is no promise, or one
// of whose class or species scripts have made something else. It is called before any script has run.
func (l *Layout) QuickThen(rt *goja.Runtime) {
	class := rt.Get("Promise").(*goja.Object)
	proto := class.Get("prototype").(*goja.Object)
	then, ok := l.Native(proto.Get("then").(*goja.Object))
	species := l.speciesOf(l.data(class))
	if !ok || species == nil {
		panic("gojainternals: Promise is not as it is known here")
	}
	q := &quickThen{layout: l, rt: rt, vm: l.vm(rt), proto: proto, species: species, getter: l.getterOf(species),
		next: *then.Call}
	*then.Call = q.then
}

// plain tells whether what then of a promise gives is a promise of the same class, which is the runtime's own.
func (q *quickThen) plain(o *goja.Object) bool {
	l := q.layout
	return l.kind(o) == l.awaiting.promise && l.getterOf(q.species) == q.getter && l.ownPromise(q.vm, o)
}

func (q *quickThen) then(call goja.FunctionCall) goja.Value {
	o, is := call.This.(*goja.Object)
	if !is || !q.plain(o) {
		return q.next(call)
	}
	var callbacks [2]func(goja.FunctionCall) goja.Value
	for i := range callbacks {
		if f, object := call.Argument(i).(*goja.Object); object {
			callbacks[i], _ = q.layout.Call(f)
		}
	}
	return q.derive(o, callbacks)
}

// derive is the promise of what a callback gives that is called with what another promise is settled with. A callback
// may be nil.
func (q *quickThen) derive(o *goja.Object, callbacks [2]func(goja.FunctionCall) goja.Value) *goja.Object {
	d := &derived{}
	d.capability.promise = q.layout.pending(q.rt, q.proto)
	d.await(q.rt, o, callbacks)
	return d.capability.promise
}

// await adds the reactions to a promise.
func (d *derived) await(rt *goja.Runtime, o *goja.Object, callbacks [2]func(goja.FunctionCall) goja.Value) {
	l := polled.layout
	d.capability.resolveObj, d.capability.rejectObj = &d.settlers[0], &d.settlers[1]
	for i, callback := range callbacks {
		l.become(rt, &d.settlers[i], unsafe.Pointer(&l.thens.tables[i][0]), unsafe.Pointer(d))
		d.ends[i] = boundMethod{l.thens.codes[i], unsafe.Pointer(d)}
		x := &d.reacting[i]
		x.capability, x.typ = unsafe.Pointer(&d.capability), i
		if callback != nil {
			x.callback = callback
			x.handler = unsafe.Pointer(&x.callback)
		}
	}
	l.reactOr(rt, o, &d.reacting)
}

// thenOf is ours, if that is what a promise of the runtime's own class has under the name then, and no getter is asked
// for it; nil if not.
func (l *Layout) thenOf(o *goja.Object) *quickThen {
	if l.kind(o) != l.awaiting.promise || l.ownsThen(o) {
		return nil
	}
	then, _ := l.held(l.baseOf(o).prototype, "then")
	f, is := then.(*goja.Object)
	if !is || l.kind(f) != l.twins.native {
		return nil
	}
	c := *(**boundMethod)(unsafe.Pointer(&(*nativeMirror)(l.data(f)).f))
	if c == nil || c.code != quickThenCode {
		return nil
	}
	return (*quickThen)(c.receiver)
}

func derivedResolves(d unsafe.Pointer) (f func(goja.FunctionCall) goja.Value, ok bool) {
	end := unsafe.Pointer(&(*derived)(d).ends[0])
	*(*unsafe.Pointer)(unsafe.Pointer(&f)) = end
	return f, true
}

func derivedRejects(d unsafe.Pointer) (f func(goja.FunctionCall) goja.Value, ok bool) {
	end := unsafe.Pointer(&(*derived)(d).ends[1])
	*(*unsafe.Pointer)(unsafe.Pointer(&f)) = end
	return f, true
}

func (d *derived) resolve(call goja.FunctionCall) goja.Value {
	if !d.alone {
		polled.layout.resolve(d.capability.promise, call.Argument(0))
	}
	return goja.Undefined()
}

func (d *derived) reject(call goja.FunctionCall) goja.Value {
	o := d.capability.promise
	if l := polled.layout; d.alone {
		l.reject(l.NewPromise(l.runtimeOf(o)), call.Argument(0))
	} else {
		l.reject(o, call.Argument(0))
	}
	return goja.Undefined()
}
