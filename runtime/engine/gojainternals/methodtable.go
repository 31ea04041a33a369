package gojainternals

import (
	"fmt"
	"reflect"
	"unsafe"
)

// methodTableHead is the size, in words, of what stands before the methods in an interface's method table in the
// runtime of Go: interface type, concrete type, hash. The methods follow in the order of their names.
const methodTableHead = 3

// methodTable copies the method table at tab, which says how goja's type concrete implements goja's interface iface,
// and puts ours in place of the methods of the same names. Each of ours is a function whose first parameter is the
// receiver, a pointer. It may have an unsafe.Pointer where goja's method has a pointer to a type of goja's or a
// function, int64 where goja's has an integer type of that size, and [implementation] where goja's has an interface.
// The caller keeps the table: the garbage collector does not follow a pointer to it.
func methodTable(iface, concrete reflect.Type, tab unsafe.Pointer, ours map[string]any) ([]uintptr, error) {
	n := iface.NumMethod()
	table := make([]uintptr, methodTableHead+n)
	copy(table, unsafe.Slice((*uintptr)(tab), len(table)))
	if want := (*[2]uintptr)(unsafe.Pointer(&concrete))[1]; table[1] != want {
		return nil, fmt.Errorf("gojainternals: the method table of %s has another layout in this Go", concrete)
	}
	known := 0
	for i := range n {
		m := iface.Method(i)
		f, ok := ours[m.Name]
		if !ok {
			continue
		}
		if !stands(reflect.TypeOf(f), m.Type) {
			return nil, fmt.Errorf("gojainternals: goja's %s.%s is a %s", iface, m.Name, m.Type)
		}
		table[methodTableHead+i] = reflect.ValueOf(f).Pointer()
		known++
	}
	if known != len(ours) {
		return nil, fmt.Errorf("gojainternals: goja's %s lacks %d methods of those known here", iface, len(ours)-known)
	}
	return table, nil
}

// stands tells whether the function f may take the place of a method of that type.
func stands(f, method reflect.Type) bool {
	if f.NumIn() != method.NumIn()+1 || f.NumOut() != method.NumOut() {
		return false
	}
	for i := range method.NumIn() {
		if !passes(f.In(i+1), method.In(i)) {
			return false
		}
	}
	for i := range method.NumOut() {
		if !passes(f.Out(i), method.Out(i)) {
			return false
		}
	}
	return true
}

// passes tells whether values of our type are passed as those of goja's are.
func passes(ours, in reflect.Type) bool {
	switch {
	case ours == in:
		return true
	case ours.Kind() == reflect.UnsafePointer:
		return in.Kind() == reflect.Pointer || in.Kind() == reflect.Func
	case ours == reflect.TypeFor[implementation]():
		return in.Kind() == reflect.Interface
	}
	return ours == reflect.TypeFor[int64]() && in.Kind() == reflect.Int64
}
