package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
)

// The name of a minus sign alone is no number. goja looks for one in each name that a text or a typed array is asked
// for, and for a digit behind the sign, where nothing is. Such an object cannot be given that name in goja either, so
// that its prototypes alone may have it.

// minusSign is that name.
const minusSign = "-"

// isMinus tells whether a key is that name.
func (l *Layout) isMinus(key goja.Value) bool {
	name, ok := l.ascii(key)
	return ok && name == minusSign
}

// minusOf is the property with that name of a text or a typed array, undefined if there is none; ok is false for what
// is neither.
func (l *Layout) minusOf(vm unsafe.Pointer, of goja.Value) (v goja.Value, ok bool) {
	o, is := of.(*goja.Object)
	if !is {
		if _, is = of.(goja.String); !is {
			return nil, false
		}
		o = of.ToObject(*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)))
	}
	if !l.numbersNames(o) {
		return nil, false
	}
	for o != nil && l.numbersNames(o) {
		o = l.baseOf(o).prototype
	}
	if o != nil {
		v = l.property(o, minusSign, of)
	}
	if v == nil {
		v = goja.Undefined()
	}
	return v, true
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
