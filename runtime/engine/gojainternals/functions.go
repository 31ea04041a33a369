package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// nativeFields says where a type of native function keeps its Go functions.
type nativeFields struct{ call, construct uintptr }

// functionFields says where a type of JavaScript function keeps its source text and its compiled body.
type functionFields struct{ source, program uintptr }

// Native is the pair of Go functions behind a built-in function. Whoever writes through the pointers replaces them.
type Native struct {
	Call      *func(goja.FunctionCall) goja.Value
	Construct *func([]goja.Value, *goja.Object) *goja.Object
}

func (l *Layout) readNatives(r *reader) {
	l.natives = map[reflect.Type]nativeFields{}
	for _, name := range []string{"TypeError", "Date"} { // the two types of built-in constructors
		t, _ := self(r.object(name))
		var f nativeFields
		f.call, _ = r.field(t.Elem(), "f", reflect.TypeFor[func(goja.FunctionCall) goja.Value]())
		f.construct, _ = r.field(
			t.Elem(), "construct", reflect.TypeFor[func([]goja.Value, *goja.Object) *goja.Object]())
		l.natives[t] = f
	}
	bound := r.object("(() => {}).bind()")
	t, _ := self(bound)
	l.boundKind = l.kind(bound)
	l.boundCall, _ = r.field(t.Elem(), "f", reflect.TypeFor[func(goja.FunctionCall) goja.Value]())
}

// BoundCall is the Go function behind a function that Function.prototype.bind has made, nil for any other.
func (l *Layout) BoundCall(o *goja.Object) *func(goja.FunctionCall) goja.Value {
	if l.kind(o) != l.boundKind {
		return nil
	}
	return (*func(goja.FunctionCall) goja.Value)(unsafe.Add(l.data(o), l.boundCall))
}

// Native returns the Go functions behind o; ok is false if o is no built-in function.
func (l *Layout) Native(o *goja.Object) (n Native, ok bool) {
	if o == nil {
		return Native{}, false
	}
	t, p := self(o)
	f, ok := l.natives[t]
	if !ok {
		return Native{}, false
	}
	return Native{
		Call:      (*func(goja.FunctionCall) goja.Value)(unsafe.Add(p, f.call)),
		Construct: (*func([]goja.Value, *goja.Object) *goja.Object)(unsafe.Add(p, f.construct)),
	}, true
}

// functionForms has one function of each type that goja makes of JavaScript functions.
var functionForms = []string{
	"(function () {})", "(() => {})", "({ m() {} }).m", "(class {})", "(async function () {})", "(async () => {})",
	"({ async m() {} }).m", "(function* () {})", "({ *m() {} }).m",
}

func (l *Layout) readFunctions(r *reader) {
	l.functions = map[reflect.Type]functionFields{}
	for _, form := range functionForms {
		t, _ := self(r.object(form))
		if r.err != nil {
			return
		}
		var f functionFields
		f.source, _ = r.field(t.Elem(), "src", reflect.TypeFor[string]())
		f.program, _ = r.field(t.Elem(), "prg", reflect.TypeFor[*goja.Program]())
		l.functions[t] = f
	}
	l.classType, _ = self(r.object("(class {})"))
}

// SetSource replaces the text that Function.prototype.toString gives for a JavaScript function. It reports whether o is
// one.
func (l *Layout) SetSource(o *goja.Object, text string) bool {
	t, p := self(o)
	f, ok := l.functions[t]
	if ok {
		*(*string)(unsafe.Add(p, f.source)) = text
	}
	return ok
}

// ProgramOf returns the compiled body of a JavaScript function, nil for anything else.
func (l *Layout) ProgramOf(o *goja.Object) *goja.Program {
	t, p := self(o)
	if f, ok := l.functions[t]; ok {
		return *(**goja.Program)(unsafe.Add(p, f.program))
	}
	return nil
}

// IsClass tells whether o is the constructor that a class definition has made.
func (l *Layout) IsClass(o *goja.Object) bool {
	t, _ := self(o)
	return t == l.classType
}

// BecomeMethod makes a function the kind of object that like, a method, is: it loses its [[Construct]]. The two types
// begin with the same parts; it panics if they do not.
func (l *Layout) BecomeMethod(f, like *goja.Object) {
	l.settleIfFunction(f)
	l.settleIfFunction(like)
	from, old := self(f)
	to, _ := self(like)
	if from == to {
		return
	}
	fresh := reflect.New(to.Elem())
	common := from.Elem().Field(0)
	if to.Elem().Field(0).Type != common.Type || common.Offset != 0 {
		panic("gojainternals: goja's " + to.String() + " does not begin as its " + from.String())
	}
	reflect.NewAt(common.Type, fresh.UnsafePointer()).Elem().Set(reflect.NewAt(common.Type, old).Elem())
	pair := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(f), l.objectSelf))
	pair[0], pair[1] = l.kind(like), fresh.UnsafePointer()
}
