package builtin

import (
	"runtime"
	"sync"
	"weak"

	"github.com/dop251/goja"
)

// Registry finds what belongs to a runtime for code that is called with the runtime alone. It holds both weakly: what
// is put into it lives as long as functions of the runtime refer to it. Any goroutine.
type Registry[T any] struct {
	known sync.Map // weak.Pointer[goja.Runtime] → weak.Pointer[T]
}

// Put makes v what belongs to rt.
func (r *Registry[T]) Put(rt *goja.Runtime, v *T) {
	key := weak.Make(rt)
	r.known.Store(key, weak.Make(v))
	runtime.AddCleanup(rt, func(k weak.Pointer[goja.Runtime]) { r.known.Delete(k) }, key)
}

// Of returns what belongs to rt, nil if nothing was put.
func (r *Registry[T]) Of(rt *goja.Runtime) *T {
	if v, ok := r.known.Load(weak.Make(rt)); ok {
		return v.(weak.Pointer[T]).Value()
	}
	return nil
}
