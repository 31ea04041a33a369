package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A plain object can carry a value of Go that no script sees. It then has a struct of ours, which begins with goja's
// own and has the value behind it, and a copy of goja's method table, by which it is known.

// stateFields say how such a struct is made.
type stateFields struct {
	kind       unsafe.Pointer // of plain objects
	table      []uintptr
	base, with reflect.Type // goja's struct and ours
	at         uintptr      // of the value
}

func (l *Layout) readStates(r *reader) {
	probe := r.object("({})")
	_, iface := r.field(reflect.TypeFor[goja.Object](), "self", nil)
	if r.err != nil {
		return
	}
	concrete, _ := self(probe)
	f := &l.states
	f.kind, f.base = l.kind(probe), concrete.Elem()
	f.with = reflect.StructOf([]reflect.StructField{
		{Name: "Base", Type: f.base}, {Name: "State", Type: reflect.TypeFor[any]()}})
	f.at = f.with.Field(1).Offset
	if ours := unsafe.Offsetof(statedObject{}.state); r.err == nil && ours != f.at {
		r.fail("a value behind %s lies at %d, expected %d", f.base, f.at, ours)
	}
	f.table, r.err = methodTable(iface, concrete, f.kind, nil)
}

// SetState lets a plain object carry a value. ok is false, and nothing has happened, if the object is of another kind.
func (l *Layout) SetState(o *goja.Object, state any) (ok bool) {
	f := &l.states
	l.settled(o)
	l.unwatched(o)
	pair := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	if pair[0] == f.kind {
		data := reflect.New(f.with).UnsafePointer()
		reflect.NewAt(f.base, data).Elem().Set(reflect.NewAt(f.base, pair[1]).Elem())
		*pair = [2]unsafe.Pointer{unsafe.Pointer(&f.table[0]), data}
	}
	if pair[0] != unsafe.Pointer(&f.table[0]) {
		return false
	}
	*(*any)(unsafe.Add(pair[1], f.at)) = state
	return true
}

// statedObject is an object that carries a value, in one piece: what stateFields make of a plain one.
type statedObject struct {
	base   baseMirror
	state  any
	object goja.Object
}

// Carrying is a new plain object of a prototype that carries a value.
func (l *Layout) Carrying(rt *goja.Runtime, prototype *goja.Object, state any) *goja.Object {
	m := &statedObject{state: state}
	b := &m.base
	b.class, b.val, b.extensible, b.prototype = "Object", &m.object, true, prototype
	b.values = map[unistring.String]goja.Value{}
	l.become(rt, &m.object, unsafe.Pointer(&l.states.table[0]), unsafe.Pointer(b))
	return &m.object
}

// State is what SetState has let an object carry; ok is false if it carries nothing.
func (l *Layout) State(o *goja.Object) (state any, ok bool) {
	pair := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	if pair[0] == unsafe.Pointer(&lazily.table[0]) {
		o.Prototype() // which makes it
	}
	if pair[0] != unsafe.Pointer(&l.states.table[0]) {
		return nil, false
	}
	return *(*any)(unsafe.Add(pair[1], l.states.at)), true
}
