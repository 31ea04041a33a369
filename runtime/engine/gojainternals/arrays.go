package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// arrayFields says where a dense array keeps its elements.
type arrayFields struct {
	kind           unsafe.Pointer
	values, length uintptr
}

func (l *Layout) readArrays(r *reader) {
	probe := r.object("[1, 2]")
	if r.err != nil {
		return
	}
	t, _ := self(probe)
	l.arrays.kind = l.kind(probe)
	l.arrays.values, _ = r.field(t.Elem(), "values", reflect.TypeFor[[]goja.Value]())
	l.arrays.length, _ = r.field(t.Elem(), "length", reflect.TypeFor[uint32]())
}

// Elements are those of an array as goja keeps them, to be read only: nil where there is a hole, and an unexported type
// where there is an accessor. ok is false if o is anything but an array whose elements are all kept so.
func (l *Layout) Elements(o *goja.Object) (list []goja.Value, ok bool) {
	if l.kind(o) != l.arrays.kind {
		return nil, false
	}
	p := l.data(o)
	list = *(*[]goja.Value)(unsafe.Add(p, l.arrays.values))
	return list, int(*(*uint32)(unsafe.Add(p, l.arrays.length))) == len(list)
}
