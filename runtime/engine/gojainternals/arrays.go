package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// arrayFields says where a dense array keeps its elements.
type arrayFields struct {
	kind, light    unsafe.Pointer // goja's own, and of those that share their names
	match          unsafe.Pointer // of what exec of a regular expression returns
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

// Elements returns the elements of an array as goja keeps them: nil for a hole, a value of an unexported type for an
// accessor. The caller must not change the list. ok is false unless o is an array that keeps all its elements in such a
// list.
func (l *Layout) Elements(o *goja.Object) (list []goja.Value, ok bool) {
	if !l.isArray(o) {
		return nil, false
	}
	p := l.data(o)
	list = *(*[]goja.Value)(unsafe.Add(p, l.arrays.values))
	return list, int(*(*uint32)(unsafe.Add(p, l.arrays.length))) == len(list)
}

// Whole is Elements where each is a value that can be written in its place: there are no holes, and no properties with
// attributes of their own.
func (l *Layout) Whole(o *goja.Object) (list []goja.Value, ok bool) {
	if list, ok = l.Elements(o); !ok || !l.plainValues(list) {
		return nil, false
	}
	return list, true
}
