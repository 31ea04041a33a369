package ecma

import (
	"runtime"
	"sync"
	"weak"

	"github.com/dop251/goja"
)

// weakSymbols gives each symbol that is a key of a WeakMap or a member of a WeakSet an object that stands for it: goja
// takes objects only. The object lives as long as the symbol.
type weakSymbols struct {
	mu      sync.Mutex // the collector's goroutine runs cleanups
	objects map[weak.Pointer[goja.Symbol]]*goja.Object
}

func (w *weakSymbols) find(s *goja.Symbol) *goja.Object {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.objects[weak.Make(s)]
}

func (w *weakSymbols) make(rt *goja.Runtime, s *goja.Symbol) *goja.Object {
	key := weak.Make(s)
	w.mu.Lock()
	defer w.mu.Unlock()
	o, ok := w.objects[key]
	if ok {
		return o
	}
	o = rt.NewObject()
	if w.objects == nil {
		w.objects = map[weak.Pointer[goja.Symbol]]*goja.Object{}
	}
	w.objects[key] = o
	holder := weak.Make(w)
	runtime.AddCleanup(s, func(key weak.Pointer[goja.Symbol]) {
		if w := holder.Value(); w != nil {
			w.mu.Lock()
			defer w.mu.Unlock()
			delete(w.objects, key)
		}
	}, key)
	return o
}

// installWeakKeys makes the weak collections take symbols, except registered ones, and refuse other primitives with
// V8's texts (ECMA-262, CanBeHeldWeakly).
func (e *Engine) installWeakKeys() {
	symbols := &weakSymbols{}
	keyFor, _ := goja.AssertFunction(e.object("Symbol").Get("keyFor"))
	registered := func(s *goja.Symbol) bool {
		v, err := keyFor(goja.Undefined(), s)
		return err == nil && !goja.IsUndefined(v)
	}
	for _, c := range []struct{ name, put, refusal string }{
		{"WeakMap", "set", "Invalid value used as weak map key"}, {"WeakSet", "add", "Invalid value used in weak set"},
	} {
		proto := e.object(c.name, "prototype")
		for _, name := range []string{"get", "has", "delete"} {
			f, _ := proto.Get(name).(*goja.Object)
			n, ok := e.in.Native(f)
			if !ok {
				continue // a WeakSet has no get
			}
			call := *n.Call
			*n.Call = func(fc goja.FunctionCall) goja.Value {
				if s, ok := fc.Argument(0).(*goja.Symbol); ok {
					if o := symbols.find(s); o != nil {
						return call(goja.FunctionCall{This: fc.This, Arguments: []goja.Value{o}})
					}
				}
				return call(fc)
			}
		}
		// The method has to be a new function: where goja's constructor finds goja's own one, it fills the new
		// collection without calling it.
		f := proto.Get(c.put).(*goja.Object)
		n, _ := e.in.Native(f)
		call, has := *n.Call, proto.Get("has").(*goja.Object)
		check, _ := e.in.Native(has)
		length := int(f.Get("length").ToInteger())
		e.method(proto, c.put, length, func(fc goja.FunctionCall) goja.Value {
			switch key := fc.Argument(0).(type) {
			case *goja.Object:
				return call(fc)
			case *goja.Symbol:
				if !registered(key) {
					args := []goja.Value{symbols.make(e.rt, key)}
					if len(fc.Arguments) > 1 {
						args = append(args, fc.Arguments[1:]...)
					}
					return call(goja.FunctionCall{This: fc.This, Arguments: args})
				}
			}
			(*check.Call)(goja.FunctionCall{This: fc.This}) // a wrong receiver is an error before a wrong key
			e.b.Throw("TypeError", c.refusal)
			return nil
		})
	}
}
