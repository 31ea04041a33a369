package gojainternals

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// goja hands the apply and construct traps of a Proxy an array over its own stack of values: once the trap has
// returned, or waits, the array changes with every call that is made. A trap that keeps its arguments, as every RPC
// client made of proxies does, then reads those of others. So each proxy gets a method table for its handler in which
// the two methods copy the arguments first. Its other methods look for interrupts and at the depth of the stack:
// proxies without traps may lead to each other for ever.

// proxyMethods says where a proxy has its handler, and what its handler's methods are.
type proxyMethods struct {
	handler uintptr // offset of the handler in goja's proxyObject
	native  uintptr // address of goja's own method table
	table   []uintptr

	apply     func(h unsafe.Pointer, target *goja.Object, this goja.Value, args []goja.Value) (goja.Value, bool)
	construct func(h unsafe.Pointer, target *goja.Object, args []goja.Value, newTarget *goja.Object) (goja.Value, bool)

	getStr   func(h unsafe.Pointer, target *goja.Object, name unistring.String, receiver goja.Value) (goja.Value, bool)
	getIdx   func(h unsafe.Pointer, target *goja.Object, idx int64, receiver goja.Value) (goja.Value, bool)
	hasStr   func(h unsafe.Pointer, target *goja.Object, name unistring.String) (bool, bool)
	hasIdx   func(h unsafe.Pointer, target *goja.Object, idx int64) (bool, bool)
	setIdx   func(h unsafe.Pointer, target *goja.Object, idx int64, v, receiver goja.Value) (bool, bool)
	setStr   func(h unsafe.Pointer, target *goja.Object, name unistring.String, v, receiver goja.Value) (bool, bool)
	getSym   func(h unsafe.Pointer, target *goja.Object, name *goja.Symbol, receiver goja.Value) (goja.Value, bool)
	getProto func(h unsafe.Pointer, target *goja.Object) (goja.Value, bool)
	ownKeys  func(h unsafe.Pointer, target *goja.Object) (*goja.Object, bool)

	codes map[string]*uintptr // what the function values above point to
	steps func(target *goja.Object)
}

// copied is what Read has found. A method in a method table has no other way to it.
var copied *proxyMethods

func proxyApply(h unsafe.Pointer, target *goja.Object, this goja.Value, args []goja.Value) (goja.Value, bool) {
	copied.steps(target)
	return copied.apply(h, target, this, slices.Clone(args))
}

func proxyConstruct(h unsafe.Pointer, target *goja.Object, args []goja.Value, newTarget *goja.Object) (goja.Value,
	bool) {
	copied.steps(target)
	return copied.construct(h, target, slices.Clone(args), newTarget)
}

func proxyGetStr(h unsafe.Pointer, target *goja.Object, name unistring.String, receiver goja.Value) (goja.Value, bool) {
	copied.steps(target)
	return copied.getStr(h, target, name, receiver)
}

func proxyHasStr(h unsafe.Pointer, target *goja.Object, name unistring.String) (bool, bool) {
	copied.steps(target)
	return copied.hasStr(h, target, name)
}

func proxyGetIdx(h unsafe.Pointer, target *goja.Object, idx int64, receiver goja.Value) (goja.Value, bool) {
	copied.steps(target)
	return copied.getIdx(h, target, idx, receiver)
}

func proxyHasIdx(h unsafe.Pointer, target *goja.Object, idx int64) (bool, bool) {
	copied.steps(target)
	return copied.hasIdx(h, target, idx)
}

func proxySetIdx(h unsafe.Pointer, target *goja.Object, idx int64, v, receiver goja.Value) (bool, bool) {
	copied.steps(target)
	return copied.setIdx(h, target, idx, v, receiver)
}

func proxySetStr(h unsafe.Pointer, target *goja.Object, name unistring.String, v, receiver goja.Value) (bool, bool) {
	copied.steps(target)
	return copied.setStr(h, target, name, v, receiver)
}

// Slot names the property in which a platform object keeps what is Go's. No trap of a proxy hears of it.
var Slot = goja.NewSymbol("")

func proxyGetSym(h unsafe.Pointer, target *goja.Object, name *goja.Symbol, receiver goja.Value) (goja.Value, bool) {
	copied.steps(target)
	if name == Slot {
		return nil, false // goja looks at the target
	}
	v, ok := copied.getSym(h, target, name, receiver)
	if name == goja.SymHasInstance && target != nil {
		rt := *(**goja.Runtime)(unsafe.Add(unsafe.Pointer(target), polled.runtime))
		return instanceOfProxy(rt, target, v, ok)
	}
	return v, ok
}

func proxyGetProto(h unsafe.Pointer, target *goja.Object) (goja.Value, bool) {
	copied.steps(target)
	return copied.getProto(h, target)
}

func proxyOwnKeys(h unsafe.Pointer, target *goja.Object) (*goja.Object, bool) {
	copied.steps(target)
	list, ok := copied.ownKeys(h, target)
	if list != nil && target != nil && polled.list != nil {
		polled.list(*(**goja.Runtime)(unsafe.Add(unsafe.Pointer(target), polled.runtime)), list)
	}
	return list, ok
}

func (l *Layout) readProxies(r *reader) {
	probe := r.object("new Proxy(function () {}, {})")
	t, p := self(probe)
	m := &proxyMethods{}
	var iface reflect.Type
	if m.handler, iface = r.field(t.Elem(), "handler", nil); r.err != nil {
		return
	}
	if iface.Kind() != reflect.Interface {
		r.fail("%s.handler is a %s", t, iface)
		return
	}
	concrete := reflect.NewAt(t.Elem(), p).Elem().FieldByName("handler").Elem().Type()
	m.native = *(*uintptr)(unsafe.Add(p, m.handler))
	tab := *(*unsafe.Pointer)(unsafe.Add(p, m.handler))
	m.table, r.err = methodTable(iface, concrete, tab, map[string]any{
		"apply": proxyApply, "construct": proxyConstruct, "getStr": proxyGetStr, "hasStr": proxyHasStr,
		"setStr": proxySetStr,
		"getSym": proxyGetSym, "getPrototypeOf": proxyGetProto, "ownKeys": proxyOwnKeys,
		"getIdx": proxyGetIdx, "hasIdx": proxyHasIdx, "setIdx": proxySetIdx,
	})
	if r.err != nil {
		return
	}
	methods := unsafe.Slice((*uintptr)(tab), len(m.table))
	m.codes = map[string]*uintptr{}
	for i := range iface.NumMethod() {
		code := methods[methodTableHead+i]
		m.codes[iface.Method(i).Name] = &code
	}
	// A function value is a pointer to the address of its code.
	for name, f := range map[string]unsafe.Pointer{
		"apply": unsafe.Pointer(&m.apply), "construct": unsafe.Pointer(&m.construct),
		"getStr": unsafe.Pointer(&m.getStr),
		"hasStr": unsafe.Pointer(&m.hasStr), "setStr": unsafe.Pointer(&m.setStr), "getSym": unsafe.Pointer(&m.getSym),
		"getPrototypeOf": unsafe.Pointer(&m.getProto), "ownKeys": unsafe.Pointer(&m.ownKeys),
		"getIdx": unsafe.Pointer(&m.getIdx), "hasIdx": unsafe.Pointer(&m.hasIdx), "setIdx": unsafe.Pointer(&m.setIdx),
	} {
		*(**uintptr)(f) = m.codes[name]
	}
	object, _ := r.field(reflect.TypeFor[goja.Object](), "runtime", reflect.TypeFor[*goja.Runtime]())
	m.steps = func(target *goja.Object) {
		if target == nil { // the proxy is revoked
			return
		}
		rt := *(**goja.Runtime)(unsafe.Add(unsafe.Pointer(target), object))
		if l.Interrupted(rt) && overdue.Add(1)%patience == 0 {
			l.RaiseInterrupt(rt)
		}
		if lookups.Add(1)%lookupsBetween == 0 && polled.deep != nil && DeepStack() {
			polled.deep(rt)
		}
	}
	l.proxies, copied = m, m
}

// PrepareProxy makes one of goja's proxies copy the arguments of each call, and poll at each of its steps. The proxy
// must be new.
func (l *Layout) PrepareProxy(proxy *goja.Object) {
	if at := (*uintptr)(unsafe.Add(l.data(proxy), l.proxies.handler)); *at == l.proxies.native {
		*at = uintptr(unsafe.Pointer(&l.proxies.table[0]))
	}
}
