package ecma

import (
	"fmt"
	"reflect"
	"unsafe"
)

// methodTableHead is the size of what stands before the methods in an interface's method table in the runtime of Go:
// interface type, concrete type, hash. The methods follow in the order of their names.
const methodTableHead = 3

// methodTable returns a copy of the method table at tab, which belongs to a concrete type of goja's under the interface
// type, with ours in place of the methods of those names. Each of ours is a function whose first parameter is the
// receiver, a pointer; a pointer to a type of goja's may be an unsafe.Pointer there. The caller keeps the table: the garbage collector does not follow a pointer to it.
func methodTable(iface, concrete reflect.Type, tab unsafe.Pointer, ours map[string]any) ([]uintptr, error) {
	n := iface.NumMethod()
	table := make([]uintptr, methodTableHead+n)
	copy(table, unsafe.Slice((*uintptr)(tab), len(table)))
	if want := (*[2]uintptr)(unsafe.Pointer(&concrete))[1]; table[1] != want {
		return nil, fmt.Errorf("ecma: the method table of %s has another layout in this Go", concrete)
	}
	known := 0
	for i := range n {
		m := iface.Method(i)
		f, ok := ours[m.Name]
		if !ok {
			continue
		}
		ft := reflect.TypeOf(f)
		same := ft.NumIn() == m.Type.NumIn()+1 && ft.NumOut() == m.Type.NumOut()
		for k := 0; same && k < m.Type.NumIn(); k++ {
			in := m.Type.In(k)
			same = ft.In(k+1) == in || ft.In(k+1).Kind() == reflect.UnsafePointer && in.Kind() == reflect.Pointer
		}
		for k := 0; same && k < m.Type.NumOut(); k++ {
			same = ft.Out(k) == m.Type.Out(k)
		}
		if !same {
			return nil, fmt.Errorf("ecma: goja's %s.%s is a %s", iface, m.Name, m.Type)
		}
		table[methodTableHead+i] = reflect.ValueOf(f).Pointer()
		known++
	}
	if known != len(ours) {
		return nil, fmt.Errorf("ecma: goja's %s lacks %d methods of those known here", iface, len(ours)-known)
	}
	return table, nil
}
