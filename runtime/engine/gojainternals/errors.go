package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// errorFields says where an error object keeps its stack.
type errorFields struct {
	kind         unsafe.Pointer
	stack, added uintptr
}

func (l *Layout) readErrors(r *reader) {
	probe := r.rt.NewTypeError("x")
	t, _ := self(probe)
	l.errors.kind = l.kind(probe)
	l.errors.stack, _ = r.field(t.Elem(), "stack", reflect.TypeFor[[]goja.StackFrame]())
	l.errors.added, _ = r.field(t.Elem(), "stackPropAdded", reflect.TypeFor[bool]())
}

// IsError tells whether o has an error's [[ErrorData]]: goja has made it with a stack.
func (l *Layout) IsError(o *goja.Object) bool { return l.kind(o) == l.errors.kind }

// ErrorFrames points at the stack of an error object.
func (l *Layout) ErrorFrames(o *goja.Object) *[]goja.StackFrame {
	return (*[]goja.StackFrame)(unsafe.Add(l.data(o), l.errors.stack))
}

// TakeStackProperty tells goja that the error has its property "stack", so that goja never formats one.
func (l *Layout) TakeStackProperty(o *goja.Object) {
	*(*bool)(unsafe.Add(l.data(o), l.errors.added)) = true
}

// ThrownTypeError is what a native function panics with to throw a TypeError of this text, if it has no runtime at hand
// to make one. goja makes the error object when it catches the value.
func ThrownTypeError(text string) (thrown any) {
	// The type has no exported name. goja panics with a value of it here; a copy gets the text.
	defer func() {
		v := reflect.New(reflect.TypeOf(recover())).Elem()
		v.SetString(text)
		thrown = v.Interface()
	}()
	return goja.NewSymbol("").ToNumber()
}
