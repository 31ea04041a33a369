package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// Shortcut does a call of a function in goja's place. It gets the arguments, which it must not keep, and tells whether
// it did the call; if not, goja runs the function.
type Shortcut func(rt *goja.Runtime, arguments []goja.Value) (result goja.Value, done bool)

// Shortcuts are shortcuts of functions, which are known by their sources as in [Sources].
type Shortcuts map[*byte]Shortcut

// Add gives the function of that Source a shortcut. The text must not be empty.
func (s Shortcuts) Add(source string, f Shortcut) { s[unsafe.StringData(source)] = f }

// shortcutFields says where the machine keeps the number of arguments, and has goja's own step out of a function.
type shortcutFields struct {
	args uintptr
	ret  instruction
}

func (l *Layout) readShortcuts(r *reader) {
	_, vm := r.field(reflect.TypeFor[goja.Runtime](), "vm", nil)
	if r.err != nil {
		return
	}
	l.shortcut.args, _ = r.field(vm.Elem(), "args", reflect.TypeFor[int]())
	p, err := goja.Compile("probe.js", "(function () {})", true)
	if err != nil {
		r.fail("probe of a function failed: %v", err)
		return
	}
	for _, in := range l.code(p) {
		for _, body := range l.programsOf(in) {
			if code := l.code(body); len(code) > 0 {
				l.shortcut.ret = code[len(code)-1]
			}
		}
	}
	if t := reflect.TypeOf(l.shortcut.ret); t == nil || t.Name() != "_ret" {
		r.fail("functions end with a %v, expected _ret", t)
	}
}

// Shorten gives functions of a program their shortcuts, which are tried in each call with one argument or more. The
// program must just have been compiled from the tree that the sources belong to. Functions that are no declarations,
// no function expressions and no methods are left as they are, async functions and generators too.
func (l *Layout) Shorten(p *goja.Program, s Shortcuts) {
	l.eachInstruction(p, func(_ *instruction, in instruction) {
		at, makes := l.program.makers[reflect.TypeOf(in)]
		if !makes {
			return
		}
		f := s[unsafe.StringData(*(*string)(unsafe.Add(dataOf(in), at)))]
		if f == nil {
			return
		}
		for _, body := range l.programsOf(in) {
			if code := l.code(body); len(code) > 0 {
				code[0] = &shortened{goja: code[0], layout: l, run: f}
			}
		}
	})
}

// shortened stands in front of a function's body, before its arguments are put in place.
type shortened struct {
	goja   instruction
	layout *Layout
	run    Shortcut
}

func (s *shortened) wrapped() instruction { return s.goja }

func (s *shortened) exec(vm unsafe.Pointer) {
	m := &s.layout.machine
	sp, n := *(*int)(unsafe.Add(vm, m.sp)), *(*int)(unsafe.Add(vm, s.layout.shortcut.args))
	stack := *(*[]goja.Value)(unsafe.Add(vm, m.stack))
	if n > 0 && sp <= len(stack) && sp-n >= 2 {
		rt := *(**goja.Runtime)(unsafe.Add(vm, m.runtime))
		if result, done := s.run(rt, stack[sp-n:sp]); done {
			// as goja leaves a function: the result is on top of the stack, the base is where this lies
			stack[sp-1] = result
			*(*int)(unsafe.Add(vm, m.sb)) = sp - n - 1
			s.layout.leave(vm)
			return
		}
	}
	s.goja.exec(vm)
}

// elementNames are the constructors of typed arrays that TypedMemory knows.
var elementNames = []string{"Int8Array", "Uint8Array", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
	"Float32Array", "Float64Array", "Uint8ClampedArray"}

func (l *Layout) readElements(r *reader) {
	l.stores = map[unsafe.Pointer]string{}
	for _, name := range elementNames {
		_, at := self(r.object("new " + name + "(1)"))
		if r.err != nil {
			return
		}
		l.stores[*(*unsafe.Pointer)(unsafe.Add(at, l.views.store))] = name
	}
	if len(l.stores) != len(elementNames) {
		r.fail("typed arrays have %d kinds of elements, expected %d", len(l.stores), len(elementNames))
	}
}

// TypedMemory is the memory that a typed array shows, with the name of its constructor; ok is false for
// BigInts and half floats, for a view that has lost its buffer, and for any other object. The bytes are the buffer's
// own, until JavaScript runs again.
func (l *Layout) TypedMemory(o *goja.Object) (name string, bytes []byte, ok bool) {
	if !l.IsTypedArray(o) {
		return "", nil, false
	}
	if name, ok = l.stores[*(*unsafe.Pointer)(unsafe.Add(l.data(o), l.views.store))]; !ok {
		return "", nil, false
	}
	w, _ := l.Window(o)
	all := *(*[]byte)(unsafe.Add(*w.buffer, l.views.bufferData))
	from, to := w.Offset()*w.unit, (w.Offset()+w.Length())*w.unit
	if w.Gone() || from < 0 || to < from || to > len(all) {
		return "", nil, false
	}
	return name, all[from:to:to], true
}
