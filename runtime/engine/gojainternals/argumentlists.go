package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// The object arguments of a strict function is a lazy object that has the list behind it: goja makes a dozen
// allocations for one, and most functions only ask for its length and elements. What else it is asked makes it goja's
// own.

// argumentList is such an object.
type argumentList struct {
	lazyObject
	values []goja.Value
}

// alive is the object as long as it is one.
func argumentsAlive(h unsafe.Pointer) (*argumentList, bool) {
	a := (*argumentList)(h)
	return a, a.group != nil
}

// argumentMethods are the methods that leave such an object as it is. As in literalMethods none may refer to a variable
// of this function.
func argumentMethods() map[string]any {
	type (
		pointer = unsafe.Pointer
		name    = unistring.String
		value   = goja.Value
	)
	return map[string]any{
		"getStr": func(h pointer, p name, receiver value) value {
			if a, ok := argumentsAlive(h); ok && p == "length" {
				return polled.layout.integer(int64(len(a.values)))
			}
			f, o := woken[func(pointer, name, value) value](h, lazyGetStr)
			return f(o, p, receiver)
		},
		"getIdx": func(h pointer, p int64, receiver value) value {
			if a, ok := argumentsAlive(h); ok && uint64(p) < uint64(len(a.values)) {
				return a.values[p]
			}
			f, o := woken[func(pointer, int64, value) value](h, lazyGetIdx)
			return f(o, p, receiver)
		},
		"proto": func(h pointer) *goja.Object {
			a, ok := argumentsAlive(h)
			if !ok {
				f, o := woken[func(pointer) *goja.Object](h, lazyProto)
				return f(o)
			}
			return polled.layout.root(&a.object)
		},
	}
}

// makeArguments makes the object arguments of a strict function.
type makeArguments struct {
	goja   instruction
	layout *Layout
	named  int // how many of them have names
	group  *lazyGroup
}

func (m *makeArguments) wrapped() instruction { return m.goja }

func (l *Layout) makeArguments(place instruction, named int) *makeArguments {
	m := &makeArguments{goja: place, layout: l, named: named}
	m.group = &lazyGroup{layout: l}
	m.group.made = func(rt *goja.Runtime, z *lazyObject) *goja.Object {
		return m.unfolded(rt, (*argumentList)(unsafe.Pointer(z)))
	}
	return m
}

func (m *makeArguments) exec(vm unsafe.Pointer) {
	l := m.layout
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	stack := l.room(vm, *sp)
	scope := *(**scopeMirror)(unsafe.Add(vm, l.regions.stash))
	n := *(*int)(unsafe.Add(vm, l.shortcut.args))
	a := &argumentList{values: make([]goja.Value, n)}
	copy(a.values[copy(a.values, scope.values[:min(n, m.named)]):], scope.extraArgs)
	a.group = m.group
	*(**goja.Runtime)(unsafe.Add(unsafe.Pointer(&a.object), polled.runtime)) =
		*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime))
	*(*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&a.object), l.objectSelf)) =
		[2]unsafe.Pointer{unsafe.Pointer(&lazily.arguments[0]), unsafe.Pointer(a)}
	stack[*sp] = &a.object
	*sp++
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// unfolded is goja's own object with the same elements: goja's instruction makes it, of a scope that has them.
func (m *makeArguments) unfolded(rt *goja.Runtime, a *argumentList) *goja.Object {
	l := m.layout
	vm := l.vm(rt)
	sp, pc := (*int)(unsafe.Add(vm, l.machine.sp)), (*int)(unsafe.Add(vm, l.quick.pc))
	args, stash := (*int)(unsafe.Add(vm, l.shortcut.args)), (*unsafe.Pointer)(unsafe.Add(vm, l.regions.stash))
	oldSP, oldPC, oldArgs, oldStash := *sp, *pc, *args, *stash
	defer func() { *sp, *pc, *args, *stash = oldSP, oldPC, oldArgs, oldStash }()
	named := min(len(a.values), m.named)
	*stash = unsafe.Pointer(&scopeMirror{values: a.values[:named], extraArgs: a.values[named:], outer: oldStash})
	*args = len(a.values)
	unwrapped(m.goja).exec(vm)
	a.values = nil
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	made, _ := stack[oldSP].(*goja.Object)
	stack[oldSP] = nil
	return made
}
