package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
)

// resolver is one of the two kinds of resolving functions of promises (ECMA-262, 27.2.1.3): closures of goja's with the
// same code, which hold the promise at the same place.
type resolver struct{ code, promise uintptr }

func (l *Layout) readResolvers(r *reader) {
	o := r.object("(() => { const o = {}; o.p = new Promise((a, b) => { o.a = a; o.b = b }); return o })()")
	if r.err != nil {
		return
	}
	p, _ := o.Get("p").Export().(*goja.Promise)
	for i, name := range []string{"a", "b"} {
		c := l.closure(o.Get(name).ToObject(r.rt))
		if c == nil {
			r.fail("resolving functions are no native functions")
			return
		}
		known := &l.resolvers[i]
		known.code = *(*uintptr)(c)
		for at := unsafe.Sizeof(uintptr(0)); at <= 2*unsafe.Sizeof(uintptr(0)); at += unsafe.Sizeof(uintptr(0)) {
			if *(*unsafe.Pointer)(unsafe.Add(c, at)) == unsafe.Pointer(p) {
				known.promise = at
			}
		}
		if known.promise == 0 {
			r.fail("resolving functions do not hold their promise")
			return
		}
	}
}

// closure is the Go closure behind a native function, nil if o is none.
func (l *Layout) closure(o *goja.Object) unsafe.Pointer {
	n, ok := l.Native(o)
	if !ok {
		return nil
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(n.Call))
}

// PromiseOf is the promise that a resolving function settles, nil if v is none.
func (l *Layout) PromiseOf(v goja.Value) *goja.Promise {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	c := l.closure(o)
	if c == nil {
		return nil
	}
	if b := (*boundMethod)(c); b.code == resolving.resolve || b.code == resolving.reject {
		return (*goja.Promise)(l.data((*resolvers)(b.receiver).promise))
	}
	for _, known := range l.resolvers {
		if *(*uintptr)(c) == known.code {
			return (*goja.Promise)(*(*unsafe.Pointer)(unsafe.Add(c, known.promise)))
		}
	}
	return nil
}
