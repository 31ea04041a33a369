package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// What is put under a computed key: an element of an array, and a property of a plain object. goja makes a property key
// of each key and asks the object's prototypes.

// keyedSet gives an element or a property under a computed name a value.
type keyedSet struct {
	goja   instruction // what looks at typed arrays first
	layout *Layout
	keep   bool // the value is left on the stack
}

func (e *keyedSet) wrapped() instruction { return e.goja }

func (e *keyedSet) exec(vm unsafe.Pointer) {
	l := e.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	of, at, v := pair(&stack[*sp-3]), pair(&stack[*sp-2]), stack[*sp-1]
	done := false
	if of[0] == l.quick.object && v != nil {
		switch o := (*goja.Object)(of[1]); at[0] {
		case l.operands.integer:
			done = l.setElement(o, *(*int64)(at[1]), v)
		case l.operands.ascii:
			done = l.setNamed(o, unistring.String(*(*string)(at[1])), v)
		}
	}
	if !done {
		e.goja.exec(vm)
		return
	}
	if *sp -= 3; e.keep {
		stack[*sp] = v
		*sp++
	}
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// setElement gives an element of an array a value, or adds it behind the last one. It does nothing, and tells so, where
// there is anything with attributes.
func (l *Layout) setElement(o *goja.Object, i int64, v goja.Value) bool {
	if !l.isArray(o) {
		return false
	}
	a := (*arrayMirror)(l.data(o))
	if uint64(i) < uint64(len(a.values)) {
		switch kindOf(a.values[i]) {
		case l.quick.accessor:
			return false
		case nil: // a hole
			if !a.baseObject.extensible || !l.unindexed(l.runtimeOf(o), &a.baseObject) {
				return false
			}
			a.objCount++
		}
		a.values[i] = v
		return true
	}
	if i != int64(len(a.values)) || i >= maxPushed || !a.baseObject.extensible ||
		!l.unindexed(l.runtimeOf(o), &a.baseObject) {
		return false
	}
	if more := int64(a.length) - i; more > 0 { // it has been told how long it will be
		if len(a.values) == cap(a.values) {
			a.values = append(make([]goja.Value, 0, i+min(more, max(i, mostTold))), a.values...)
		}
	} else {
		if more < 0 || !a.lengthProp.writable {
			return false
		}
		a.length++
	}
	a.values = append(a.values, v)
	a.objCount++
	return true
}

// mostTold is for how many elements an array gets room at first that has been told how long it will be.
const mostTold = 64

// setNamed gives a plain object's property a value, or the object a new one that nobody around has an eye on.
func (l *Layout) setNamed(o *goja.Object, name unistring.String, v goja.Value) bool {
	if !plainName(name) {
		return false
	}
	if z, ok := l.literal(o); ok {
		at := z.find(string(name))
		if at != nil {
			*at = v
		}
		return at != nil
	}
	if l.kind(o) != l.states.kind {
		return false
	}
	b := l.baseOf(o)
	if has := b.values[name]; has != nil {
		if kindOf(has) == l.quick.accessor {
			return false
		}
	} else {
		if !b.extensible || !l.free(b.prototype, name) {
			return false
		}
		b.propNames = appended(b.propNames, name)
	}
	b.values[name] = v
	return true
}

// fieldDefined gives an instance a field.
type fieldDefined struct {
	goja   instruction
	layout *Layout
	name   unistring.String
	steps  nameSteps
}

func (f *fieldDefined) wrapped() instruction { return f.goja }

func (f *fieldDefined) exec(vm unsafe.Pointer) {
	l := f.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	if of := pair(&stack[*sp-2]); of[0] == l.quick.object && stack[*sp-1] != nil {
		if o := (*goja.Object)(of[1]); l.kind(o) == l.states.kind {
			b := l.baseOf(o)
			added := b.extensible && f.steps.add(b, f.name, stack[*sp-1])
			if !added && b.extensible && b.values[f.name] == nil {
				b.values[f.name] = stack[*sp-1]
				b.propNames = f.steps.next(b.propNames, f.name)
				added = true
			}
			if added {
				*sp--
				*(*int)(unsafe.Add(vm, l.quick.pc))++
				return
			}
		}
	}
	f.goja.exec(vm)
}
