package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// InJob runs f, which is native and was called by a job of the runtime's queue, as if a call were under way. Without it
// a script that f calls looks like the outermost call when it returns: goja then runs the jobs that have come
// meanwhile before those that came earlier, and each within the one before, until the stack ends.
func (l *Layout) InJob(rt *goja.Runtime, f func()) {
	if l.Depth(rt) > 0 {
		f()
		return
	}
	calls := unsafe.Add(l.vm(rt), l.machine.calls)
	h := (*sliceHeader)(calls)
	if h.cap == 0 {
		list := reflect.NewAt(l.machine.callList, calls).Elem()
		list.Set(reflect.MakeSlice(l.machine.callList, 0, 16))
	}
	h.len = 1
	reflect.NewAt(l.machine.callList, calls).Elem().Index(0).SetZero() // no stack trace shows such a call
	// An interrupt leaves the top of the stack where it was. Between calls the stack is empty, or has no values that
	// anybody needs, and goja would clear from that top on when a call of f returns.
	sp := (*int)(unsafe.Add(l.vm(rt), l.machine.sp))
	*sp = min(*sp, len(*(*[]goja.Value)(unsafe.Add(l.vm(rt), l.machine.stack))))
	defer func() { h.len = 0 }()
	f()
}
