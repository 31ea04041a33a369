package gojainternals

import (
	"sync/atomic"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// Objects that get the same properties in the same order, from literals or constructors, share the list of their names:
// each instruction that adds a property knows which list comes of which. goja copies such a list before it changes it.

// steps is what an instruction knows: of a list that objects have come with, the list that they go on with.
type nameSteps struct {
	list [4]atomic.Pointer[nameStep]
}

type nameStep struct {
	from    *unistring.String // nil: of none
	to      []unistring.String
	control uint8 // of the name in a map of our seed
}

// mostShared is the length up to which lists are shared.
const mostShared = 64

// next is the list of an object that gets a name more, which it does not have.
func (s *nameSteps) next(names []unistring.String, name unistring.String) []unistring.String {
	var from *unistring.String
	if len(names) > 0 {
		from = unsafe.SliceData(names)
		if !shared(names) {
			return appended(names, name)
		}
	}
	for i := range s.list {
		step := s.list[i].Load()
		if step == nil {
			if len(names) >= mostShared {
				break
			}
			step = &nameStep{from: from, to: sharedNames(appended(names, name)...), control: controlOf(name)}
			if !s.list[i].CompareAndSwap(nil, step) {
				step = s.list[i].Load()
			}
		}
		if step.from == from {
			return step.to
		}
	}
	return appended(names, name)
}

// add gives an object a name that it lacks, if that is known by the list of its names alone. It does nothing, and tells
// so, where the map must be asked, or must grow.
func (s *nameSteps) add(b *baseMirror, name unistring.String, v goja.Value) bool {
	var from *unistring.String
	if len(b.propNames) > 0 {
		if from = unsafe.SliceData(b.propNames); !shared(b.propNames) {
			return false
		}
	}
	for i := range s.list {
		step := s.list[i].Load()
		if step == nil {
			return false
		}
		if step.from == from {
			if !slotsOf(b.values).put(len(b.propNames), name, step.control, v) {
				return false
			}
			b.propNames = step.to
			return true
		}
	}
	return false
}

// shared tells whether a list is one of those that objects share. Another with the mark is one that somebody goes over.
func shared(names []unistring.String) bool {
	return cap(names) == len(names)+1 &&
		unsafe.StringData(string(names[:cap(names)][len(names)])) == unsafe.StringData(string(copyMark))
}

// appended is a list with a name more, as goja appends it.
func appended(names []unistring.String, name unistring.String) []unistring.String {
	if cap(names) > len(names) && names[:cap(names)][cap(names)-1] == copyMark && len(names)+1 >= cap(names) {
		names = append(make([]unistring.String, 0, len(names)+4), names...)
	}
	return append(names, name)
}

// madeObject is an object in one piece, with the head of its map.
type madeObject struct {
	base   baseMirror
	object goja.Object
	values slotMap
}

// madeObject is a plain object of a prototype, without properties.
func (l *Layout) madeObject(rt *goja.Runtime, prototype *goja.Object) *goja.Object {
	m := new(madeObject)
	b := &m.base
	b.class, b.val, b.extensible, b.prototype = "Object", &m.object, true, prototype
	b.values = m.values.begun()
	l.become(rt, &m.object, l.states.kind, unsafe.Pointer(b))
	return &m.object
}

// plainObject is one of Object.prototype.
func (l *Layout) plainObject(rt *goja.Runtime) *goja.Object {
	return l.madeObject(rt, *(**goja.Object)(unsafe.Add(unsafe.Pointer(rt), l.quick.global+l.plain.object)))
}

// objectLiteral begins an object literal that does not keep its values in a list.
type objectLiteral struct {
	goja   instruction
	layout *Layout
}

func (n *objectLiteral) wrapped() instruction { return n.goja }

func (n *objectLiteral) exec(vm unsafe.Pointer) {
	l := n.layout
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	stack := l.room(vm, *sp)
	rt := *(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime))
	stack[*sp] = l.plainObject(rt)
	*sp++
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// room is the machine's stack with a place at index sp.
func (l *Layout) room(vm unsafe.Pointer, sp int) []goja.Value {
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	if sp < len(stack) {
		return stack
	}
	return l.stackFor(vm, sp)
}

// propertyOfLiteral is a property of an object literal.
type propertyOfLiteral struct {
	goja   instruction
	layout *Layout
	name   unistring.String
	steps  nameSteps
}

func (p *propertyOfLiteral) wrapped() instruction { return p.goja }

func (p *propertyOfLiteral) exec(vm unsafe.Pointer) {
	l := p.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	if of := pair(&stack[*sp-2]); of[0] == l.quick.object {
		if o := (*goja.Object)(of[1]); l.kind(o) == l.states.kind {
			if b := l.baseOf(o); !p.steps.add(b, p.name, stack[*sp-1]) {
				size := len(b.values)
				b.values[p.name] = stack[*sp-1]
				if len(b.values) != size {
					b.propNames = p.steps.next(b.propNames, p.name)
				}
			}
			*sp--
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
	}
	p.goja.exec(vm)
}

// propertySet gives a property of an object a value.
type propertySet struct {
	goja   instruction
	layout *Layout
	name   unistring.String
	keep   bool // the value is left on the stack
	steps  nameSteps
	seek   seek
}

func (p *propertySet) wrapped() instruction { return p.goja }

func (p *propertySet) exec(vm unsafe.Pointer) {
	l := p.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	of := pair(&stack[*sp-2])
	if of[0] != l.quick.object || !p.set(vm, (*goja.Object)(of[1]), stack[*sp-1]) {
		p.goja.exec(vm)
		return
	}
	if p.keep {
		stack[*sp-2] = stack[*sp-1]
		*sp--
	} else {
		*sp -= 2
	}
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// set does nothing, and tells so, unless the property is a value, or a new one that nobody around has an eye on.
func (p *propertySet) set(vm unsafe.Pointer, o *goja.Object, v goja.Value) bool {
	l := p.layout
	if l.kind(o) != l.states.kind {
		return false
	}
	b := l.baseOf(o)
	if b.extensible && p.seek.lacked(l, vm, o, b, string(p.name)) {
		if !p.steps.add(b, p.name, v) {
			b.values[p.name] = v
			b.propNames = p.steps.next(b.propNames, p.name)
		}
		return true
	}
	has, at := p.seek.own(b, p.name)
	switch {
	case has == nil:
		if !b.extensible || !l.free(b.prototype, p.name) {
			return false
		}
		p.seek.inherits.Store(true)
		b.values[p.name] = v
		b.propNames = p.steps.next(b.propNames, p.name)
	case kindOf(has) == l.quick.accessor:
		// A value that has become an accessor is still writable for goja, which would keep what is assigned.
		if p := (*propertyMirror)(pair(&has)[1]); p.accessor {
			p.writable = false
		}
		return false
	case at != nil:
		*at = v
	default:
		b.values[p.name] = v
	}
	return true
}

// free tells whether a chain of prototypes has nothing of a name, so that it decides nothing about a new property.
func (l *Layout) free(o *goja.Object, name unistring.String) bool {
	for ; o != nil; o = l.baseOf(o).prototype {
		switch kind := l.kind(o); {
		case l.plainKind(kind):
			if _, has := l.baseOf(o).values[name]; has {
				return false
			}
		case rootKind(kind): // Object.prototype
			return l.baseOf(o).prototype == nil && !l.owner(o, string(name))
		default:
			return false
		}
	}
	return true
}
