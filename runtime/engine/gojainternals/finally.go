package gojainternals

import "unsafe"

// finallyEntered stands in the place of the begin of finally. Where try has ended without an exception, goja leaves the
// statement's catch in force: it would take what finally throws.
type finallyEntered struct {
	goja   instruction
	layout *Layout
}

func (f *finallyEntered) wrapped() instruction { return f.goja }

func (f *finallyEntered) exec(vm unsafe.Pointer) {
	t := &f.layout.tries
	tries := (*sliceHeader)(unsafe.Add(vm, t.frames))
	*(*int32)(unsafe.Add(tries.data, uintptr(tries.len-1)*t.size+t.catch)) = -1 // no catch, as goja writes it
	f.goja.exec(vm)
}
