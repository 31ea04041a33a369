package ecma

import (
	"errors"
	"runtime"
	"weak"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// weakCell is one registration of a FinalizationRegistry. Owned by the runtime's goroutine.
type weakCell struct {
	held    goja.Value
	token   weak.Pointer[goja.Object]
	cleanup runtime.Cleanup
	gone    bool
}

type registry struct {
	callback goja.Callable
	cells    map[*weakCell]struct{}
	over     bool // the callback took too long once, and is not called again
}

// installWeak adds WeakRef and FinalizationRegistry. Go's collector decides when a target is gone. A goja object and
// what it refers to form a cycle (object ↔ implementation), which weak pointers and cleanups handle, unlike finalizers.
func (e *Engine) installWeak() {
	slots := e.newSlots()

	ref := e.class("WeakRef", 1, func(args []goja.Value, o *goja.Object) {
		target, ok := builtin.Argument(args, 0).(*goja.Object)
		if sym, isSym := builtin.Argument(args, 0).(*goja.Symbol); isSym {
			slots.set(o, sym)
			return
		}
		if !ok {
			e.b.Throw("TypeError", "WeakRef: invalid target")
		}
		slots.set(o, weak.Make(target))
	})
	e.method(ref, "deref", 0, func(call goja.FunctionCall) goja.Value {
		switch w := slots.get(call.This).(type) {
		case weak.Pointer[goja.Object]:
			if o := w.Value(); o != nil {
				return o
			}
			return goja.Undefined()
		case *goja.Symbol:
			return w
		}
		e.b.Throw("TypeError", "Method WeakRef.prototype.deref called on incompatible receiver "+e.Render(call.This))
		return nil
	})

	reg := e.class("FinalizationRegistry", 1, func(args []goja.Value, o *goja.Object) {
		f, ok := goja.AssertFunction(builtin.Argument(args, 0))
		if !ok {
			e.b.Throw("TypeError", "FinalizationRegistry: cleanup must be callable")
		}
		slots.set(o, &registry{callback: f, cells: map[*weakCell]struct{}{}})
	})
	self := func(call goja.FunctionCall, method string) *registry {
		r, ok := slots.get(call.This).(*registry)
		if !ok {
			e.b.Throw("TypeError",
				"Method FinalizationRegistry.prototype."+method+" called on incompatible receiver "+e.Render(call.This))
		}
		return r
	}
	e.method(reg, "register", 2, func(call goja.FunctionCall) goja.Value {
		r := self(call, "register")
		target, ok := call.Argument(0).(*goja.Object)
		if !ok {
			e.b.Throw("TypeError", "Invalid value used in FinalizationRegistry")
		}
		if target.SameAs(call.Argument(1)) {
			e.b.Throw("TypeError", "FinalizationRegistry.prototype.register: target and holdings must not be same")
		}
		cell := &weakCell{held: call.Argument(1)}
		if token, ok := call.Argument(2).(*goja.Object); ok {
			cell.token = weak.Make(token)
		} else if !goja.IsUndefined(call.Argument(2)) {
			e.b.Throw("TypeError", "Invalid unregisterToken ('"+e.Render(call.Argument(2))+"')")
		}
		r.cells[cell] = struct{}{}
		if post := e.opts.Post; post != nil {
			cell.cleanup = runtime.AddCleanup(target, func(c *weakCell) {
				post(func() { r.finish(c) })
			}, cell)
		}
		return goja.Undefined()
	})
	e.method(reg, "unregister", 1, func(call goja.FunctionCall) goja.Value {
		r := self(call, "unregister")
		token, ok := call.Argument(0).(*goja.Object)
		if !ok {
			e.b.Throw("TypeError", "Invalid unregisterToken ('"+e.Render(call.Argument(0))+"')")
		}
		found := false
		for c := range r.cells {
			if c.token.Value() == token {
				c.gone, found = true, true
				c.cleanup.Stop()
				delete(r.cells, c)
			}
		}
		return e.rt.ToValue(found)
	})
}

// finish calls back for one collected target. An error of the callback is the program's own and goes to whoever runs
// the posted task, as a panic of the call does.
func (r *registry) finish(c *weakCell) {
	if c.gone || r.over {
		return
	}
	c.gone = true
	delete(r.cells, c)
	if _, err := r.callback(goja.Undefined(), c.held); err != nil {
		var interrupted *goja.InterruptedError
		r.over = errors.As(err, &interrupted)
		panic(err)
	}
}
