package gojainternals

import (
	"maps"
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A scope whose variables closures use lies in memory of its own, with a list of their values. Ours are one piece:
// the scope with the places for its values behind it.

// scopeMirror is a scope as goja keeps it.
type scopeMirror struct {
	values, extraArgs []goja.Value
	names             unsafe.Pointer
	obj               *goja.Object
	outer             unsafe.Pointer
	funcType          uint8
}

// maxScope is how many values a scope in one piece has at most.
const maxScope = 8

// The scopes by how many values they have room for.
type (
	scope1 struct {
		scope  scopeMirror
		values [1]goja.Value
	}
	scope2 struct {
		scope  scopeMirror
		values [2]goja.Value
	}
	scope3 struct {
		scope  scopeMirror
		values [3]goja.Value
	}
	scope4 struct {
		scope  scopeMirror
		values [4]goja.Value
	}
	scope6 struct {
		scope  scopeMirror
		values [6]goja.Value
	}
	scope8 struct {
		scope  scopeMirror
		values [maxScope]goja.Value
	}
)

func (l *Layout) readScopes(r *reader) {
	_, vm := r.field(reflect.TypeFor[goja.Runtime](), "vm", nil)
	if r.err != nil {
		return
	}
	if _, stash := r.field(vm.Elem(), "stash", nil); r.err == nil {
		r.alike(reflect.TypeFor[scopeMirror](), stash.Elem())
	}
}

// newScope makes a scope with n values, which are more than maxScope in a list of their own.
func newScope(n int) *scopeMirror {
	switch {
	case n > maxScope:
		return &scopeMirror{values: make([]goja.Value, n)}
	case n == 0:
		return &scopeMirror{values: []goja.Value{}}
	case n == 1:
		s := new(scope1)
		s.scope.values = s.values[:]
		return &s.scope
	case n == 2:
		s := new(scope2)
		s.scope.values = s.values[:]
		return &s.scope
	case n == 3:
		s := new(scope3)
		s.scope.values = s.values[:]
		return &s.scope
	case n == 4:
		s := new(scope4)
		s.scope.values = s.values[:]
		return &s.scope
	case n <= 6:
		s := new(scope6)
		s.scope.values = s.values[:n:n]
		return &s.scope
	}
	s := new(scope8)
	s.scope.values = s.values[:n:n]
	return &s.scope
}

// enter makes a scope within the machine's.
func (l *Layout) enter(vm unsafe.Pointer, n int, names unsafe.Pointer) *scopeMirror {
	at := (*unsafe.Pointer)(unsafe.Add(vm, l.regions.stash))
	s := newScope(n)
	s.names, s.outer = names, *at
	*at = unsafe.Pointer(s)
	return s
}

// sizesOf are what an instruction that begins a scope says of it.
func sizesOf(in instruction) (values, stack int, names unsafe.Pointer) {
	v := reflect.ValueOf(in).Elem()
	if n := v.FieldByName("names"); n.Len() > 0 {
		names = n.UnsafePointer()
	}
	values = int(v.FieldByName("stashSize").Uint())
	return values, int(v.FieldByName("stackSize").Uint()), names
}

// scopeOfBlock begins a block.
type scopeOfBlock struct {
	goja          instruction
	layout        *Layout
	values, stack int
	names         unsafe.Pointer
}

func (s *scopeOfBlock) wrapped() instruction { return s.goja }

func (l *Layout) scopeOfBlock(place, in instruction) instruction {
	values, stack, names := sizesOf(in)
	if values == 0 || values > maxScope {
		return nil
	}
	return &scopeOfBlock{goja: place, layout: l, values: values, stack: stack, names: names}
}

func (s *scopeOfBlock) exec(vm unsafe.Pointer) {
	l := s.layout
	l.enter(vm, s.values, s.names)
	l.clear(vm, 0, s.stack)
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// clear makes room on the stack for what has not been given, which is undefined, and for variables without a value.
func (l *Layout) clear(vm unsafe.Pointer, missing, variables int) {
	if missing+variables == 0 {
		return
	}
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	places := l.room(vm, *sp+missing+variables-1)[*sp:][:missing+variables]
	for i := range places[:missing] {
		places[i] = goja.Undefined()
	}
	clear(places[missing:])
	*sp += len(places)
}

// scopeOfFunction begins a function some of whose variables are in a scope. Arguments beyond those with names are in
// none of its variables: goja puts them there, so that a variable without a value has one, and none is too early.
type scopeOfFunction struct {
	goja          instruction
	layout        *Layout
	values, stack int
	names         unsafe.Pointer
	arguments     int
	kind          uint8
	inScope       bool // the arguments are in the scope, not on the stack
	extensible    bool // eval may give the scope more names
}

func (s *scopeOfFunction) wrapped() instruction { return s.goja }

func (l *Layout) scopeOfFunction(place, in instruction) instruction {
	values, stack, names := sizesOf(in)
	v := reflect.ValueOf(in).Elem()
	s := &scopeOfFunction{goja: in, layout: l, values: values, stack: stack, names: names,
		arguments: int(v.FieldByName("numArgs").Uint()), kind: uint8(v.FieldByName("funcType").Uint()),
		inScope: v.FieldByName("argsToStash").Bool(), extensible: v.FieldByName("extensible").Bool()}
	switch hook := place.(type) {
	case *bounded: // which looks at what ours has done
		if hook.goja == in {
			hook.goja = s
		}
		return nil
	}
	if place == in {
		return s
	}
	return nil
}

func (s *scopeOfFunction) exec(vm unsafe.Pointer) {
	l := s.layout
	sp, given := (*int)(unsafe.Add(vm, l.machine.sp)), (*int)(unsafe.Add(vm, l.shortcut.args))
	n := *given
	*(*int)(unsafe.Add(vm, l.machine.sb)) = *sp - n - 1
	names := s.names
	if s.extensible {
		own := maps.Clone(*(*map[unistring.String]uint32)(unsafe.Pointer(&names)))
		names = *(*unsafe.Pointer)(unsafe.Pointer(&own))
	}
	made := l.enter(vm, s.values, names)
	made.funcType = s.kind
	missing := 0
	if s.inScope {
		arguments := (*(*[]goja.Value)(unsafe.Add(vm, l.machine.stack)))[*sp-n : *sp]
		copy(made.values, arguments[:min(n, s.arguments)])
		if n > s.arguments {
			made.extraArgs = append(make([]goja.Value, 0, n-s.arguments), arguments[s.arguments:]...)
		} else {
			for i := n; i < s.arguments; i++ {
				made.values[i] = goja.Undefined()
			}
		}
		*sp -= n
	} else if missing = s.arguments - n; missing > 0 {
		*given = s.arguments
	}
	l.clear(vm, max(missing, 0), s.stack)
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// copyOfScope gives a turn of a loop variables of its own.
type copyOfScope struct {
	goja   instruction
	layout *Layout
}

func (c *copyOfScope) wrapped() instruction { return c.goja }

func (c *copyOfScope) exec(vm unsafe.Pointer) {
	at := (*unsafe.Pointer)(unsafe.Add(vm, c.layout.regions.stash))
	old := (*scopeMirror)(*at)
	if len(old.values) == 0 || len(old.values) > maxScope {
		c.goja.exec(vm)
		return
	}
	s := newScope(len(old.values))
	copy(s.values, old.values)
	s.names, s.outer = old.names, old.outer
	*at = unsafe.Pointer(s)
	*(*int)(unsafe.Add(vm, c.layout.quick.pc))++
}
