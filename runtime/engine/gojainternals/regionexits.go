package gojainternals

import (
	"slices"
	"unsafe"

	"github.com/dop251/goja"
)

// regionExit is where an exit is, and where goja keeps what the scopes between the region and the exit declare.
type regionExit struct {
	at    int
	slots []slot
}

// nested finds out where scopes around exits begin. They can be entered only if all that they declare lies on goja's
// stack, one behind the other from the same place on.
func (e *regionEntry) nested() bool {
	for _, x := range e.exits {
		for i, s := range x.slots {
			if s.kind != slotStack && s.kind != slotBase {
				return false
			}
			if e.inner.kind == slotUnknown || s.at < e.inner.at {
				e.inner = s
			}
			if s.kind != e.inner.kind || slices.ContainsFunc(x.slots[:i], func(o slot) bool { return o.at == s.at }) {
				return false
			}
		}
	}
	for _, x := range e.exits { // as many as there are places
		for _, s := range x.slots {
			if s.at < e.inner.at || s.at >= e.inner.at+len(x.slots) {
				return false
			}
		}
	}
	return true
}

// Leave enters the scopes around an exit, where nothing that they declare has a value yet.
func (r *Region) Leave(exit int) {
	r.left = r.place.exits[exit].slots
	if len(r.left) == 0 {
		return
	}
	sp := (*int)(unsafe.Add(r.vm, r.layout.machine.sp))
	stack := r.layout.stackFor(r.vm, *sp+len(r.left))
	clear(stack[*sp : *sp+len(r.left)])
	*sp += len(r.left)
}

// SetScoped gives variable n of the scopes around the exit its value.
func (r *Region) SetScoped(n int, v goja.Value) {
	stack := *(*[]goja.Value)(unsafe.Add(r.vm, r.layout.machine.stack))
	stack[r.index(r.left[n])] = v
}

// index is where a variable of a function lies on goja's stack.
func (r *Region) index(s slot) int {
	i := *(*int)(unsafe.Add(r.vm, r.layout.machine.sb)) + s.at
	if s.kind == slotStack {
		i += *(*int)(unsafe.Add(r.vm, r.layout.shortcut.args))
	}
	return i
}
