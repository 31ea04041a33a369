package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
)

// The name of a minus sign alone is no number. goja looks for one in each name that a text or a typed array is asked
// for, and for a digit behind the sign, where nothing is. Where such an object is asked for that name, it is a plain
// one as long as that lasts: all three begin with the same struct, which has the properties that have other names.

// minusSign is that name.
const minusSign = "-"

// isMinus tells whether a key is that name.
func (l *Layout) isMinus(key goja.Value) bool {
	name, ok := l.ascii(key)
	return ok && name == minusSign
}

// minusOf is the property with that name of an object or a text, undefined if there is none; ok is false where goja
// finds it.
func (l *Layout) minusOf(vm unsafe.Pointer, of goja.Value) (v goja.Value, ok bool) {
	o, is := of.(*goja.Object)
	if !is {
		if _, is = of.(goja.String); !is {
			return nil, false
		}
		o = of.ToObject(*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)))
	}
	back := l.asPlain(o)
	if back == nil {
		return nil, false
	}
	defer back()
	if v = l.property(o, minusSign, of); v == nil {
		v = goja.Undefined()
	}
	return v, true
}

// asPlain makes plain objects of those that look for numbers, on a chain of prototypes and targets of proxies, until
// back is called. It is nil if there are none.
func (l *Layout) asPlain(o *goja.Object) (back func()) {
	for n := 0; o != nil && n < longestChain; n++ {
		if o.ExportType() == ProxyType {
			o = o.Export().(goja.Proxy).Target()
			continue
		}
		next := o.Prototype()
		if l.numbersNames(o) {
			self := (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
			kind, others := *self, back
			*self = l.states.kind
			back = func() {
				if *self = kind; others != nil {
					others()
				}
			}
		}
		o = next
	}
	return back
}

// IsMinus tells whether a key is the name of a minus sign alone, in which goja looks for a number.
func (l *Layout) IsMinus(key goja.Value) bool {
	return kindOf(key) == l.operands.ascii && l.isMinus(key)
}

// Minus calls f, a function of goja's that asks an object for that name, in a way that can be asked.
func (l *Layout) Minus(o *goja.Object, f func() goja.Value) goja.Value {
	if back := l.asPlain(o); back != nil {
		defer back()
	}
	return f()
}

// numbersNames tells whether an object is of a kind that looks for a number in each name.
func (l *Layout) numbersNames(o *goja.Object) bool {
	kind := l.kind(o)
	return kind == l.quick.textObject || kind == l.views.typedKind
}

func (l *Layout) readTextObjects(r *reader) {
	probe := r.object("new String('')")
	r.beginsAsObject(probe)
	l.quick.textObject = l.kind(probe)
}

// minusProperty is a property that a script names so; elementForCall is one at a key, to be called. What it is called
// on stays on the stack.
type (
	minusProperty struct {
		goja   instruction
		layout *Layout
		keep   bool
	}
	elementForCall struct {
		goja   instruction
		layout *Layout
	}
)

func (p *minusProperty) wrapped() instruction { return p.goja }

func (p *minusProperty) exec(vm unsafe.Pointer) {
	l := p.layout
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	v, ok := l.minusOf(vm, (*(*[]goja.Value)(unsafe.Add(vm, l.machine.stack)))[*sp-1])
	if !ok {
		p.goja.exec(vm)
		return
	}
	if p.keep {
		*sp++
	}
	l.stackFor(vm, *sp)[*sp-1] = v
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// minusTold is an operation on a property, which the script names so, or whose key may be that name. of and key are how
// far below the top of the stack the two stand, key 0 if there is none.
type minusTold struct {
	goja    instruction
	layout  *Layout
	of, key int
	write   bool // a write in strict code, which throws where a text would get a property
	in      bool // an operator that refuses texts
}

func (m *minusTold) wrapped() instruction { return m.goja }

func (m *minusTold) exec(vm unsafe.Pointer) {
	l := m.layout
	stack, sp := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack)), *(*int)(unsafe.Add(vm, l.machine.sp))
	if m.key > 0 {
		if !l.IsMinus(stack[sp-m.key]) {
			m.goja.exec(vm)
			return
		}
	}
	at := &stack[sp-m.of]
	if s, ok := (*at).(goja.String); ok && !m.in {
		rt := *(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime))
		if m.write {
			panic(rt.NewTypeError("Cannot create property '-' on string '%s'", s))
		}
		*at = s.ToObject(rt)
	}
	if o, ok := (*at).(*goja.Object); ok {
		if back := l.asPlain(o); back != nil {
			defer back()
		}
	}
	m.goja.exec(vm)
}

func (e *elementForCall) wrapped() instruction { return e.goja }

func (e *elementForCall) exec(vm unsafe.Pointer) {
	l := e.layout
	top := *(*int)(unsafe.Add(vm, l.machine.sp)) - 1
	if stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack)); l.isMinus(stack[top]) {
		if v, ok := l.minusOf(vm, stack[top-1]); ok {
			l.stackFor(vm, top)[top] = v
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
	}
	e.goja.exec(vm)
}
