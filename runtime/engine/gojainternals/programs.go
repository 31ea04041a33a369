package gojainternals

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/dop251/goja"
)

// programFields says where a compiled program keeps its instructions, and where those that make functions and methods
// keep the source text.
type programFields struct {
	code   uintptr
	makers map[reflect.Type]uintptr
}

// instruction is one step of a program. It stands for goja's own interface, which has one method of this form,
// exec(*vm). A value of either is a pair of method table and data, and the table's one method takes two pointers. So a
// value of ours can stand in a program of goja's, and ours can call goja's.
type instruction interface{ exec(vm unsafe.Pointer) }

// step runs an instruction. The linker leaves out methods that no reachable call through an interface can mean, and it
// cannot know that goja calls ours: the call here, which Read reaches, keeps them.
//
//go:noinline
func step(in instruction, vm unsafe.Pointer) { in.exec(vm) }

// nothing is the instruction that Read takes the first step with.
type nothing struct{}

func (nothing) exec(unsafe.Pointer) {}

// wrapper is an instruction of ours, which has taken the place of one of goja's.
type wrapper interface {
	instruction
	wrapped() instruction
}

func (l *Layout) readPrograms(r *reader) {
	var code, vm reflect.Type
	l.program.code, code = r.field(reflect.TypeFor[goja.Program](), "code", nil)
	if _, vm = r.field(reflect.TypeFor[goja.Runtime](), "vm", nil); r.err != nil {
		return
	}
	if code.Kind() != reflect.Slice || code.Elem().Kind() != reflect.Interface || code.Elem().NumMethod() != 1 {
		r.fail("Program.code is a %s", code)
		return
	}
	if m := code.Elem().Method(0); m.Name != "exec" || m.Type != reflect.FuncOf([]reflect.Type{vm}, nil, false) {
		r.fail("%s has a method %s %s, expected exec func(%s)", code.Elem(), m.Name, m.Type, vm)
		return
	}
	step(nothing{}, nil)
	l.program.makers = map[reflect.Type]uintptr{}
	for _, source := range []string{"(function () {})", "({ m() {} })"} {
		p, err := goja.Compile("probe.js", source, true)
		if err != nil {
			r.fail("probe %s failed: %v", source, err)
			return
		}
		found := false
		for _, in := range l.code(p) {
			if len(l.programsOf(in)) == 0 {
				continue
			}
			t := reflect.TypeOf(in)
			l.program.makers[t], _ = r.field(t.Elem(), "source", reflect.TypeFor[string]())
			found = true
		}
		if !found {
			r.fail("program of %s has no instruction that makes the function", source)
		}
	}
}

// code is a program's instructions; whoever writes to them changes the program.
func (l *Layout) code(p *goja.Program) []instruction {
	return *(*[]instruction)(unsafe.Add(unsafe.Pointer(p), l.program.code))
}

// dataOf is what an instruction that is a pointer points to.
func dataOf(in instruction) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&in))[1] }

// traits are what is known of a type of instruction. Every instruction of every program is asked for them several times
// while it is prepared, and reflection would take as long as the rest.
type traits struct {
	table    unsafe.Pointer
	name     string
	pointee  string    // the name of the struct that it points to
	makes    int       // one more than the kind of the light functions that it makes
	wraps    bool      // it is one of ours
	made     madeAt    // where it has what they are made with
	operator Operator  // if it is one of operators
	await    bool      // it is the kind of await, and of yield
	super    bool      // it is one of supers
	jumps    bool      // it is one of jumps
	jump     jump      // which
	loads    loading   // what it puts on the stack, if it does nothing else
	programs []uintptr // where it keeps programs
}

// What is known is found by the method table of a type, which stays where it is: mostly at the first look, in a place
// that is made of its address, or in one of those behind it.
var (
	traitsFirst [1024 + traitsNear]atomic.Pointer[traits]
	traitsRest  sync.Map // of those whose places were taken: unsafe.Pointer → *traits
)

// traitsNear is how many places beside its own one may have.
const traitsNear = 4

// tableOf is the method table of an instruction's type.
func tableOf(in instruction) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&in))[0] }

func traitsOf(in instruction) *traits {
	table := tableOf(in)
	places := traitsFirst[uint64(uintptr(table))*0x9e3779b97f4a7c15>>54:][:1+traitsNear]
	if first := places[0].Load(); first != nil && first.table == table {
		return first
	}
	for i := range places[1:] {
		t := places[1+i].Load()
		if t == nil {
			break
		}
		if t.table == table {
			return t
		}
	}
	return traitsFound(in, places)
}

// traitsFound is traitsOf for an instruction of which nothing is known in its places.
func traitsFound(in instruction, places []atomic.Pointer[traits]) *traits {
	table := tableOf(in)
	if t, ok := traitsRest.Load(table); ok {
		return t.(*traits)
	}
	t := &traits{table: table}
	if in != nil {
		_, t.wraps = in.(wrapper)
		t.name, t.programs = reflect.TypeOf(in).Name(), programsIn(reflect.TypeOf(in))
		t.super, t.loads = supers[t.name], loads[t.name]
		t.jump, t.jumps = jumps[t.name]
		if op := Operator(t.name); operators[op] {
			t.operator = op
		}
	}
	if typ := reflect.TypeOf(in); in != nil && typ.Kind() == reflect.Pointer {
		if t.pointee = typ.Elem().Name(); t.programs != nil {
			if kind := makers[t.pointee]; kind > 0 {
				if at, known := madeAtOf(typ.Elem()); known { // else Read fails
					t.makes, t.made = kind, at
				}
			}
		}
		t.await = t.pointee == "yieldMarker"
	}
	for i := range places {
		if places[i].CompareAndSwap(nil, t) || places[i].Load().table == table {
			return t
		}
	}
	traitsRest.Store(table, t)
	return t
}

// unwrapped is goja's own instruction behind any number of ours.
func unwrapped(in instruction) instruction {
	for traitsOf(in).wraps {
		in = in.(wrapper).wrapped()
	}
	return in
}

// programsOf returns the programs that an instruction carries: bodies of functions, initialisers of classes.
func (l *Layout) programsOf(in instruction) (out []*goja.Program) {
	for _, at := range traitsOf(in).programs {
		if p := *(**goja.Program)(unsafe.Add(dataOf(in), at)); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// programsIn says where a type of instruction keeps programs.
func programsIn(t reflect.Type) (out []uintptr) {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	var visit func(t reflect.Type, base uintptr)
	visit = func(t reflect.Type, base uintptr) {
		for i := range t.NumField() {
			switch f := t.Field(i); {
			case f.Type == reflect.TypeFor[*goja.Program]():
				out = append(out, base+f.Offset)
			case f.Type.Kind() == reflect.Struct:
				visit(f.Type, base+f.Offset)
			}
		}
	}
	visit(t.Elem(), 0)
	return out
}

// eachInstruction calls f for every place of a program and of the programs within it; in is goja's own instruction
// there.
func (l *Layout) eachInstruction(p *goja.Program, f func(place *instruction, in instruction)) {
	code := l.code(p)
	for i := range code {
		in := code[i]
		t := traitsOf(in)
		for t.wraps {
			in = in.(wrapper).wrapped()
			t = traitsOf(in)
		}
		f(&code[i], in)
		if len(t.programs) > 0 {
			for _, nested := range l.programsOf(in) {
				l.eachInstruction(nested, f)
			}
		}
	}
}

// FunctionCall is one call of a function that WrapEntries has prepared. Its hook runs when the function's arguments are
// in place, before its first own step.
type FunctionCall struct {
	Runtime  *goja.Runtime
	Function *goja.Program // the function's body; [Layout.Place] says where it stands
	Depth    int           // how many calls are under way around this one
}

// WrapEntries makes every function of a program call hook when it begins: the functions that the program declares at
// any depth, methods, class constructors and initialisers, async functions and generators (once, at their start). A
// call costs some nanoseconds more. The hook may panic with a JavaScript value, which the function then throws to its
// caller. It is called on the goroutine of whichever runtime runs the program, so it must not keep state that is not
// that runtime's.
//
// The program must be freshly compiled: nobody has run it yet. The code of the program itself, outside all functions,
// is not wrapped. A second hook is called after the first.
func (l *Layout) WrapEntries(p *goja.Program, hook func(FunctionCall)) {
	l.eachInstruction(p, func(_ *instruction, in instruction) {
		for _, body := range l.programsOf(in) {
			if code := l.code(body); len(code) > 0 {
				code[0] = &hookedEntry{goja: code[0], layout: l, body: body, hook: hook}
			}
		}
	})
}

// entry stands in front of a function's body.
type hookedEntry struct {
	goja   instruction
	layout *Layout
	body   *goja.Program
	hook   func(FunctionCall)
}

func (e *hookedEntry) wrapped() instruction { return e.goja }

func (e *hookedEntry) exec(vm unsafe.Pointer) {
	e.goja.exec(vm)
	m := &e.layout.machine
	e.hook(FunctionCall{
		Runtime:  *(**goja.Runtime)(unsafe.Add(vm, m.runtime)),
		Function: e.body,
		Depth:    (*sliceHeader)(unsafe.Add(vm, m.calls)).len,
	})
}

// Sources is a set of functions in a parsed tree. A function is known by the text that the parser gave it as Source,
// and by where that text lies in memory: functions of the same text are different members.
type Sources map[*byte]bool

// Add puts the function of that Source into the set. The text must not be empty.
func (s Sources) Add(source string) { s[unsafe.StringData(source)] = true }

// AfterMaking makes a program call a hook, made, with each function or method object that it creates from one of the
// sources, before anything else sees the object. The program must just have been compiled from the tree that the
// sources belong to. AfterMaking does not look for arrow functions, async functions and generators.
func (l *Layout) AfterMaking(p *goja.Program, sources Sources, made func(rt *goja.Runtime, f *goja.Object)) {
	l.eachInstruction(p, func(place *instruction, in instruction) {
		at, makes := l.program.makers[reflect.TypeOf(in)]
		if makes && sources[unsafe.StringData(*(*string)(unsafe.Add(dataOf(in), at)))] {
			*place = &maker{goja: *place, layout: l, made: made}
		}
	})
}

// maker stands in the place of an instruction that leaves a new function on the stack.
type maker struct {
	goja   instruction
	layout *Layout
	made   func(rt *goja.Runtime, f *goja.Object)
}

func (m *maker) wrapped() instruction { return m.goja }

func (m *maker) exec(vm unsafe.Pointer) {
	m.goja.exec(vm)
	rt := *(**goja.Runtime)(unsafe.Add(vm, m.layout.machine.runtime))
	if f, ok := m.layout.Operand(rt, 0).(*goja.Object); ok {
		m.made(rt, f)
	}
}
