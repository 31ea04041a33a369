package ecma

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
)

// goja hands the apply and construct traps of a Proxy an array over its own stack of values: once the trap has
// returned, or waits, the array changes with every call that is made. A trap that keeps its arguments, as every RPC client
// made of proxies does, then reads those of others. So each proxy gets a method table for its handler in which the two
// methods copy the arguments first.

// proxyLayout says where a proxy has its handler, and what its handler's methods are.
type proxyLayout struct {
	handler   uintptr // offset of the handler in goja's proxyObject
	native    uintptr // address of goja's own method table
	table     []uintptr
	apply     func(h unsafe.Pointer, target *goja.Object, this goja.Value, args []goja.Value) (goja.Value, bool)
	construct func(h unsafe.Pointer, target *goja.Object, args []goja.Value, newTarget *goja.Object) (goja.Value, bool)

	applyCode, constructCode uintptr // what the two function values above point to
}

var proxyInternals = sync.OnceValues(readProxyLayout)

// proxyMethods is what proxyInternals has found; the two methods below have no other way to it.
var proxyMethods *proxyLayout

func proxyApply(h unsafe.Pointer, target *goja.Object, this goja.Value, args []goja.Value) (goja.Value, bool) {
	return proxyMethods.apply(h, target, this, slices.Clone(args))
}

func proxyConstruct(h unsafe.Pointer, target *goja.Object, args []goja.Value, newTarget *goja.Object) (goja.Value, bool) {
	return proxyMethods.construct(h, target, slices.Clone(args), newTarget)
}

func readProxyLayout() (*proxyLayout, error) {
	in, err := internals()
	if err != nil {
		return nil, err
	}
	v, err := goja.New().RunString("new Proxy(function () {}, {})")
	if err != nil {
		return nil, fmt.Errorf("ecma: probe of Proxy: %w", err)
	}
	probe := v.(*goja.Object)
	self, _ := selfOf(probe)
	r, l := &layoutReader{}, &proxyLayout{}
	var iface reflect.Type
	if l.handler, iface = r.field(self.Elem(), "handler", nil); r.err != nil {
		return nil, r.err
	}
	concrete := reflect.NewAt(self.Elem(), in.data(probe)).Elem().FieldByName("handler").Elem().Type()
	l.native = *(*uintptr)(unsafe.Add(in.data(probe), l.handler))
	tab := *(*unsafe.Pointer)(unsafe.Add(in.data(probe), l.handler))
	l.table, err = methodTable(iface, concrete, tab, map[string]any{"apply": proxyApply, "construct": proxyConstruct})
	if err != nil {
		return nil, err
	}
	methods := unsafe.Slice((*uintptr)(tab), len(l.table))
	for i := range iface.NumMethod() {
		switch iface.Method(i).Name {
		case "apply":
			l.applyCode = methods[methodTableHead+i]
		case "construct":
			l.constructCode = methods[methodTableHead+i]
		}
	}
	// A function value is a pointer to the address of its code.
	*(**uintptr)(unsafe.Pointer(&l.apply)) = &l.applyCode
	*(**uintptr)(unsafe.Pointer(&l.construct)) = &l.constructCode
	proxyMethods = l
	return l, nil
}

// copying gives a proxy of goja's the methods that copy.
func (l *proxyLayout) copying(in *layout, o *goja.Object) {
	if at := (*uintptr)(unsafe.Add(in.data(o), l.handler)); *at == l.native {
		*at = uintptr(unsafe.Pointer(&l.table[0]))
	}
}

// installProxy puts hooks under Proxy and Proxy.revocable. Only proxies of functions can be called.
func (e *Engine) installProxy() error {
	l, err := proxyInternals()
	if err != nil {
		return err
	}
	callable := func(args []goja.Value) bool {
		if len(args) == 0 {
			return false
		}
		_, ok := goja.AssertFunction(args[0])
		return ok
	}
	ctor := e.object("Proxy")
	n, ok := e.in.native(ctor)
	if !ok {
		return fmt.Errorf("ecma: goja's Proxy is no native function")
	}
	construct := *n.construct
	*n.construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
		o := construct(args, newTarget)
		if callable(args) {
			l.copying(e.in, o)
		}
		return o
	}
	n, ok = e.in.native(ctor.Get("revocable").(*goja.Object))
	if !ok {
		return fmt.Errorf("ecma: goja's Proxy.revocable is no native function")
	}
	revocable := *n.call
	*n.call = func(call goja.FunctionCall) goja.Value {
		pair := revocable(call)
		if callable(call.Arguments) {
			l.copying(e.in, pair.(*goja.Object).Get("proxy").(*goja.Object))
		}
		return pair
	}
	return nil
}
