package gojainternals

import (
	"reflect"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A region is a run of statements of a function between two marks: array literals that nobody uses, whose first two
// elements are a number that says so and the region's number. The first mark has the variables that the region uses.
// The instructions of a mark never run. They tell where goja keeps the variables.

// slotKind is how goja reaches a variable.
type slotKind uint8

const (
	slotUnknown slotKind = iota
	slotStack            // behind the arguments
	slotBase             // from the base: arguments, and this
	slotStash
)

type slot struct {
	kind    slotKind
	at      int
	level   int
	lexical bool // nil means that it has no value yet, not undefined
}

// regionFields says where the machine and its scopes keep variables.
type regionFields struct {
	stash, pc     uintptr // of the machine
	values, outer uintptr // of a scope
	functions     []regionFunction
	plain         []unsafe.Pointer // the kinds of objects that keep their properties in a map alone
	properties    uintptr          // of an object
	names         uintptr
	prototype     uintptr
	property      reflect.Type
	getter, value uintptr // of a property
}

// regionFunction says where a kind of function keeps its source and the scope that it was made in.
type regionFunction struct {
	kind          unsafe.Pointer
	source, stash uintptr
}

func (f *regionFields) function(kind unsafe.Pointer) (regionFunction, bool) {
	for _, known := range f.functions {
		if known.kind == kind {
			return known, true
		}
	}
	return regionFunction{}, false
}

func (l *Layout) readRegions(r *reader) {
	f := &l.regions
	_, vm := r.field(reflect.TypeFor[goja.Runtime](), "vm", nil)
	if r.err != nil {
		return
	}
	var stash reflect.Type
	f.pc, _ = r.field(vm.Elem(), "pc", reflect.TypeFor[int]())
	if f.stash, stash = r.field(vm.Elem(), "stash", nil); r.err != nil {
		return
	}
	f.values, _ = r.field(stash.Elem(), "values", reflect.TypeFor[[]goja.Value]())
	f.outer, _ = r.field(stash.Elem(), "outer", stash)
	for _, form := range functionForms {
		o := r.object(form)
		if r.err != nil {
			return
		}
		t, _ := self(o)
		if _, known := f.function(l.kind(o)); !known {
			at, _ := r.field(t.Elem(), "stash", stash)
			f.functions = append(f.functions, regionFunction{l.kind(o), l.functions[t].source, at})
		}
	}
	for _, form := range []string{"({})", "new (class {})", "globalThis", "Math", "Object.prototype",
		"Uint8Array.prototype", "Object.getPrototypeOf(Uint8Array.prototype)", "DataView.prototype",
		"new Uint8Array(1)", "new DataView(new ArrayBuffer(1))", "[]"} {
		o := r.object(form)
		if r.err != nil {
			return
		}
		t, _ := self(o)
		base := t.Elem()
		at, _ := r.field(base, "values", nil)
		if form == "[]" { // whose own field values has the elements
			break
		}
		if !slices.Contains(f.plain, l.kind(o)) {
			f.plain = append(f.plain, l.kind(o))
		}
		f.properties = at
		if field, ok := base.FieldByName("values"); !ok ||
			field.Type != reflect.TypeFor[map[unistring.String]goja.Value]() || at != f.properties {
			r.fail("%s has no properties where others have them", base)
		}
		f.names, _ = r.field(base, "propNames", reflect.TypeFor[[]unistring.String]())
		f.prototype, _ = r.field(base, "prototype", reflect.TypeFor[*goja.Object]())
	}
	probe := r.object("Object.defineProperty({}, 'x', { get() {} })")
	if r.err != nil {
		return
	}
	_, at := self(probe)
	f.property = reflect.TypeOf((*(*map[unistring.String]goja.Value)(unsafe.Add(at, f.properties)))["x"])
	if f.property == nil || f.property.Kind() != reflect.Pointer || f.property.Elem().Kind() != reflect.Struct {
		r.fail("accessors are kept as a %v", f.property)
		return
	}
	f.getter, _ = r.field(f.property.Elem(), "getterFunc", reflect.TypeFor[*goja.Object]())
	f.value, _ = r.field(f.property.Elem(), "value", reflect.TypeFor[goja.Value]())
}

// Region is one run of a region: its variables, and how it ends.
type Region struct {
	Runtime *goja.Runtime
	layout  *Layout
	vm      unsafe.Pointer
	place   *regionEntry
	left    []slot // what is declared around the exit that it ends at
}

// RegionEnd says where a program goes on behind a region.
type RegionEnd int

// The ends: at the region's first statement, behind its last one, out of its function with the value on top, or, from
// RegionExit on, at the mark of one of its exits, by number.
const (
	RegionBegin RegionEnd = iota
	RegionDone
	RegionReturn
	RegionExit
)

// The marks of exits have numbers of their own: exitBase, and exitsEach for each region.
const exitBase, exitsEach = 1 << 32, 1 << 8

// RegionHook runs in a region's place. It may panic as a native function may, after [Region.At]. If armed is there, it
// runs only where that is true.
type RegionHook struct {
	Run   func(r *Region) (RegionEnd, goja.Value)
	Armed *atomic.Bool
}

// SetRegions finds the marks of a program just compiled and lets hooks run in the place of its regions, by number. A
// region whose variables are not all where they can be reached, or whose marks are not of one function, runs as goja
// runs it.
func (l *Layout) SetRegions(p *goja.Program, mark int64, hooks []RegionHook) {
	var places []int
	for i, in := range l.code(p) {
		in = unwrapped(in)
		t := traitsOf(in)
		if t.name == "newArray" {
			places = append(places, i)
		}
		for _, at := range t.programs {
			if body := *(**goja.Program)(unsafe.Add(dataOf(in), at)); body != nil {
				l.SetRegions(body, mark, hooks)
			}
		}
	}
	l.setRegions(p, mark, places, hooks)
}

func typeName(in instruction) string {
	if in == nil {
		return ""
	}
	return traitsOf(unwrapped(in)).name
}

// setRegions does that for a program without those within it, whose marks are at some of the places.
func (l *Layout) setRegions(p *goja.Program, mark int64, places []int, hooks []RegionHook) {
	code := l.code(p)
	open := map[int64]int{}
	for _, i := range places {
		n, end, slots, ok := l.readMark(code, i, mark)
		if !ok {
			continue
		}
		e := &regionEntry{goja: code[i], layout: l, program: p, skip: end - i, slots: slots}
		code[i] = e
		if n >= exitBase {
			of := (n - exitBase) / exitsEach
			if begin, ok := open[2*of]; ok {
				b := code[begin].(*regionEntry)
				if b.exits == nil {
					b.exits = map[int]regionExit{}
				}
				b.exits[int((n-exitBase)%exitsEach)] = regionExit{end - begin, slots}
			}
			continue
		}
		if n%2 == 0 {
			open[n] = i
			continue
		}
		if begin, ok := open[n-1]; ok {
			b := code[begin].(*regionEntry)
			b.end = end - begin
			unknown := slices.ContainsFunc(b.slots, func(s slot) bool { return s.kind == slotUnknown })
			if int(n/2) < len(hooks) && !unknown && b.nested() {
				b.hook = hooks[n/2]
			}
		}
	}
}

// readMark reads the instructions of a mark.
func (l *Layout) readMark(code []instruction, i int, mark int64) (n int64, end int, slots []slot, ok bool) {
	number := func(i int) (int64, bool) {
		if i >= len(code) || typeName(code[i]) != "loadVal" {
			return 0, false
		}
		v, is := (*(*goja.Value)(dataOf(unwrapped(code[i])))).Export().(int64)
		return v, is
	}
	if typeName(code[i]) != "newArray" {
		return 0, 0, nil, false
	}
	if m, is := number(i + 1); !is || m != mark {
		return 0, 0, nil, false
	}
	if n, ok = number(i + 3); !ok {
		return 0, 0, nil, false
	}
	for at := i + 5; at < len(code); at += 2 {
		if name := typeName(code[at]); name == "_pop" {
			return n, at + 1, slots, true
		}
		slots = append(slots, slotOf(code[at]))
	}
	return 0, 0, nil, false
}

// slotOf is where the instruction that loads a variable finds it.
func slotOf(in instruction) (s slot) {
	in = unwrapped(in)
	number := func() int { return *(*int)(dataOf(in)) }
	switch typeName(in) {
	case "loadStack":
		if s = (slot{kind: slotStack, at: number()}); s.at <= 0 {
			s = slot{kind: slotBase}
		}
	case "loadStack1":
		s = slot{kind: slotBase, at: number()}
	case "loadStackLex":
		if s = (slot{kind: slotStack, at: number(), lexical: true}); s.at <= 0 {
			s.kind, s.at = slotBase, -s.at
		}
	case "loadStack1Lex":
		s = slot{kind: slotBase, at: number(), lexical: true}
	case "loadStash", "loadStashLex":
		n := *(*uint32)(dataOf(in))
		s = slot{kind: slotStash, level: int(n >> 24), at: int(n & 0xffffff), lexical: typeName(in) == "loadStashLex"}
	}
	return s
}

// regionEntry stands in the place of a mark's first instruction.
type regionEntry struct {
	goja      instruction
	layout    *Layout
	program   *goja.Program
	slots     []slot
	skip, end int
	exits     map[int]regionExit // by number
	inner     slot               // the first variable of scopes around exits, if there are any
	hook      RegionHook
}

func (e *regionEntry) wrapped() instruction { return e.goja }

func (e *regionEntry) exec(vm unsafe.Pointer) {
	pc := (*int)(unsafe.Add(vm, e.layout.regions.pc))
	if e.hook.Run == nil || e.hook.Armed != nil && !e.hook.Armed.Load() {
		*pc += e.skip
		return
	}
	m := &e.layout.machine
	at := *pc
	r := Region{Runtime: *(**goja.Runtime)(unsafe.Add(vm, m.runtime)), layout: e.layout, vm: vm, place: e}
	if e.inner.kind != slotUnknown && r.index(e.inner) != *(*int)(unsafe.Add(vm, m.sp)) {
		*pc = at + e.skip
		return
	}
	switch end, v := e.hook.Run(&r); end {
	case RegionDone:
		*pc = at + e.end
	case RegionReturn:
		sp := (*int)(unsafe.Add(vm, m.sp))
		stack := *(*[]goja.Value)(unsafe.Add(vm, m.stack))
		stack[*sp-1] = v // whatever lies there is the function's own, and it ends
		e.layout.leave(vm)
	case RegionBegin:
		*pc = at + e.skip
	default:
		exit, there := e.exits[int(end-RegionExit)]
		if !there { // goja makes no code of what never runs, and a region runs no more than goja does
			panic("gojainternals: a region has no such exit")
		}
		*pc = at + exit.at
	}
}

// place is the address of a variable, nil if it has none.
func (r *Region) address(n int) *goja.Value {
	l, s := r.layout, r.place.slots[n]
	m := &l.machine
	if s.kind == slotStash {
		stash := *(*unsafe.Pointer)(unsafe.Add(r.vm, l.regions.stash))
		for range s.level {
			stash = *(*unsafe.Pointer)(unsafe.Add(stash, l.regions.outer))
		}
		values := *(*[]goja.Value)(unsafe.Add(stash, l.regions.values))
		if s.at >= len(values) {
			return nil
		}
		return &values[s.at]
	}
	i := r.index(s)
	if stack := *(*[]goja.Value)(unsafe.Add(r.vm, m.stack)); i < len(stack) {
		return &stack[i]
	}
	return nil
}

// Slot is the value of variable n of the region's mark; nil where it has none yet, or none that can be reached.
func (r *Region) Slot(n int) goja.Value {
	p := r.address(n)
	if p == nil {
		return nil
	}
	if *p == nil && !r.place.slots[n].lexical {
		return goja.Undefined()
	}
	return *p
}

// SetSlot gives variable n a value.
func (r *Region) SetSlot(n int, v goja.Value) {
	if p := r.address(n); p != nil {
		*p = v
	}
}

// Kept tells whether variable n lives on after its function, for others that use it.
func (r *Region) Kept(n int) bool { return r.place.slots[n].kind == slotStash }

// At makes the program be at a place of its source, for the stack of an exception.
func (r *Region) At(offset int) {
	list := *(*[]position)(unsafe.Add(unsafe.Pointer(r.place.program), r.layout.frame.positions))
	for _, p := range list {
		if p.srcPos == offset {
			*(*int)(unsafe.Add(r.vm, r.layout.regions.pc)) = p.pc
		}
	}
}

// BeforeRunning calls a hook when a program begins to run.
func (l *Layout) BeforeRunning(p *goja.Program, hook func(*goja.Runtime)) {
	if code := l.code(p); len(code) > 0 {
		code[0] = &firstStep{goja: code[0], layout: l, hook: hook}
	}
}

// firstStep stands in front of a program.
type firstStep struct {
	goja   instruction
	layout *Layout
	hook   func(*goja.Runtime)
}

func (s *firstStep) wrapped() instruction { return s.goja }

func (s *firstStep) exec(vm unsafe.Pointer) {
	s.hook(*(**goja.Runtime)(unsafe.Add(vm, s.layout.machine.runtime)))
	s.goja.exec(vm)
}
