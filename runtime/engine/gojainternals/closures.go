package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// What makes functions, as light ones.

// makingFields says where the machine and a runtime keep what a new function gets.
type makingFields struct {
	private, target uintptr // of the machine
	functions       uintptr // of what a runtime keeps built-ins in: the prototype of functions
}

// closure makes a function of a kind.
type closure struct {
	goja   instruction
	layout *Layout
	kind   int
	model  functionMirror // what all its functions have
	home   int            // where a method's home lies below the top of the stack, 0 if it has none
}

func (c *closure) wrapped() instruction { return c.goja }

// madeFunction, madeArrow and madeMethod are functions with their objects, in one piece.
type (
	madeFunction struct {
		function functionMirror
		object   goja.Object
	}
	madeArrow struct {
		function arrowMirror
		object   goja.Object
	}
	madeMethod struct {
		function methodMirror
		object   goja.Object
	}
)

// closureOf is what makes light functions in the place of an instruction of goja's; nil if they cannot be light.
// Nothing within them asks for its home.
func (l *Layout) closureOf(place, in instruction, t *traits) *closure {
	bodies := l.programsOf(in)
	if place != in || len(bodies) != 1 {
		return nil
	}
	data := dataOf(in)
	name := *(*unistring.String)(unsafe.Add(data, t.made.name))
	c := &closure{goja: place, layout: l, kind: t.makes - 1}
	length := l.integer(int64(*(*int)(unsafe.Add(data, t.made.length))))
	b := &c.model.baseObject
	b.class, b.extensible = "Function", true
	b.values = map[unistring.String]goja.Value{
		"length": l.attributed(&propertyMirror{value: length, configurable: true}),
		"name":   l.attributed(&propertyMirror{value: l.textOf(name), configurable: true}),
	}
	b.propNames = functionNames
	c.model.prg = bodies[0]
	c.model.src = *(*string)(unsafe.Add(data, t.made.source))
	c.model.strict = *(*bool)(unsafe.Add(data, t.made.strict))
	if c.kind == lightMethod {
		c.home = int(*(*uint32)(unsafe.Add(data, t.made.home)))
	}
	return c
}

// madeAt says where an instruction that makes functions has what they are made with.
type madeAt struct{ name, length, source, strict, home uintptr }

// readMaker looks whether a program has the instruction that makes functions of a kind, in the form that is known.
func (l *Layout) readMaker(r *reader, source string, kind int) {
	p, err := goja.Compile("probe.js", source, true)
	if err != nil {
		r.fail("probe %s failed: %v", source, err)
		return
	}
	found := false
	l.eachInstruction(p, func(_ *instruction, in instruction) { found = found || traitsOf(in).makes == kind+1 })
	if !found {
		r.fail("%s is made by no instruction of the form that is known", source)
	}
}

// madeAtOf is madeAt for the struct of such an instruction; known is false if it has another form. Only methods have a
// home.
func madeAtOf(t reflect.Type) (m madeAt, known bool) {
	known = true
	field := func(name string, is reflect.Type) (at uintptr) {
		f, ok := t.FieldByName(name)
		if !ok || f.Type != is {
			known = false
			return 0
		}
		for i := range f.Index { // the offset of a field of an embedded struct is that within it
			at += t.FieldByIndex(f.Index[:i+1]).Offset
		}
		return at
	}
	m.name, m.length = field("name", reflect.TypeFor[unistring.String]()), field("length", reflect.TypeFor[int]())
	m.source, m.strict = field("source", reflect.TypeFor[string]()), field("strict", reflect.TypeFor[bool]())
	if makers[t.Name()] == lightMethod+1 {
		m.home = field("homeObjOffset", reflect.TypeFor[uint32]())
	}
	return m, known
}

// makers are the instructions that make functions which can be light, with one more than their kind.
var makers = map[string]int{"newFunc": lightFunction + 1, "newArrowFunc": lightArrow + 1, "newMethod": lightMethod + 1}

// functionNames are the properties of a new function.
var functionNames = sharedNames("length", "name")

// textOf is a name as a value.
func (l *Layout) textOf(name unistring.String) (v goja.Value) {
	units := name.AsUtf16()
	if units == nil {
		return l.ASCII(string(name))
	}
	*pair(&v) = [2]unsafe.Pointer{l.operands.unicode, unsafe.Pointer(&units)}
	return v
}

func (c *closure) exec(vm unsafe.Pointer) {
	l := c.layout
	rt := *(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	stack := l.room(vm, *sp)
	proto := *(**goja.Object)(unsafe.Add(unsafe.Pointer(rt), l.quick.global+l.making.functions))
	if proto == nil {
		c.goja.exec(vm)
		return
	}
	var f *functionMirror
	var o *goja.Object
	switch c.kind {
	case lightArrow:
		around, ok := l.functionAround(vm, stack)
		if !ok {
			c.goja.exec(vm)
			return
		}
		m := new(madeArrow)
		f, o = &m.function.functionMirror, &m.object
		m.function.funcObj = around
		m.function.newTarget = *(*goja.Value)(unsafe.Add(vm, l.making.target))
	case lightMethod:
		m := new(madeMethod)
		f, o = &m.function.functionMirror, &m.object
		if c.home > 0 {
			home := pair(&stack[*sp-c.home])
			if home[0] != l.quick.object {
				c.goja.exec(vm)
				return
			}
			m.function.homeObject = (*goja.Object)(home[1])
		}
	default:
		m := new(madeFunction)
		f, o = &m.function, &m.object
	}
	b, model := &f.baseObject, &c.model
	b.class, b.val, b.prototype, b.extensible = "Function", o, proto, true
	b.values, b.propNames = model.baseObject.values, functionNames
	f.stash = *(*unsafe.Pointer)(unsafe.Add(vm, l.regions.stash))
	f.privEnv = *(*unsafe.Pointer)(unsafe.Add(vm, l.making.private))
	f.prg, f.src, f.strict = model.prg, model.src, model.strict
	l.become(rt, o, unsafe.Pointer(&lightFunctions[c.kind].table[0]), unsafe.Pointer(f))
	stack[*sp] = o
	*sp++
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// functionAround is the function, no arrow function, within which the machine is; nil outside of any. ok is false if
// goja must find it.
func (l *Layout) functionAround(vm unsafe.Pointer, stack []goja.Value) (o *goja.Object, ok bool) {
	sb := *(*int)(unsafe.Add(vm, l.machine.sb))
	if sb <= 0 {
		return nil, true
	}
	callee := pair(&stack[sb-1])
	switch {
	case callee[0] == l.quick.undefined:
		return nil, true
	case callee[0] != l.quick.object:
		return nil, false
	}
	o = (*goja.Object)(callee[1])
	arrows := &lightFunctions[lightArrow]
	if kind := l.kind(o); kind == arrows.native || kind == unsafe.Pointer(&arrows.table[0]) {
		return (*arrowMirror)(l.data(o)).funcObj, true
	}
	return o, true
}
