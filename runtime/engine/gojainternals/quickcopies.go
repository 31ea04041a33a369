package gojainternals

import (
	"maps"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// What { ...o } and { a, ...rest } copy of a plain object that has values under names alone.

// copyFields says where a plain object keeps its properties, and where the source of a pattern keeps what it has given.
type copyFields struct {
	values, names, symbols uintptr
	source                 unsafe.Pointer // the kind of a pattern's source
	wrapped, used          uintptr
}

// manyNames is how many properties are copied without a look at an interrupt.
const manyNames = 1 << 12

func (l *Layout) readCopies(r *reader) {
	c := &l.quick.copies
	probe := r.object("Object.create(null)")
	if r.err != nil {
		return
	}
	t, _ := self(probe)
	c.values, _ = r.field(t.Elem(), "values", reflect.TypeFor[map[unistring.String]goja.Value]())
	c.names, _ = r.field(t.Elem(), "propNames", reflect.TypeFor[[]unistring.String]())
	var symbols reflect.Type
	if c.symbols, symbols = r.field(t.Elem(), "symValues", nil); r.err != nil {
		return
	}
	if symbols.Kind() != reflect.Pointer || l.kind(probe) != l.kind(r.object("({ a: 1 })")) {
		r.fail("plain objects are of two kinds, or keep symbols in a %s", symbols)
		return
	}
	p, err := goja.Compile("probe.js", "const { a, ...b } = { a: 1 }", true)
	if err != nil {
		r.fail("probe of a pattern failed: %v", err)
		return
	}
	l.eachInstruction(p, func(place *instruction, in instruction) {
		if reflect.TypeOf(in).Name() == "_copyRest" {
			*place = &probing{goja: *place, layout: l, hook: func(o *goja.Object) {
				c.source = l.kind(o)
				t, _ := self(o)
				c.wrapped, _ = r.field(t.Elem(), "wrapped", reflect.TypeFor[goja.Value]())
				c.used, _ = r.field(t.Elem(), "usedKeys", nil)
				_, used := r.field(t.Elem(), "usedKeys", nil)
				if r.err != nil {
					return
				}
				at, _ := r.field(used, "stringProps", reflect.TypeFor[map[unistring.String]struct{}]())
				c.used += at
			}}
		}
	})
	if _, err := r.rt.RunProgram(p); err != nil || c.source == nil {
		r.fail("probe of a pattern failed: %v", err)
	}
}

// probing shows the object on top of the stack to a hook.
type probing struct {
	goja   instruction
	layout *Layout
	hook   func(o *goja.Object)
}

func (p *probing) wrapped() instruction { return p.goja }

func (p *probing) exec(vm unsafe.Pointer) {
	rt := *(**goja.Runtime)(unsafe.Add(vm, p.layout.machine.runtime))
	if o, ok := p.layout.Operand(rt, 0).(*goja.Object); ok {
		p.hook(o)
	}
	p.goja.exec(vm)
}

// copyOwn copies the properties of a plain object to another one, without those of the names in but. It does nothing,
// and tells so, if there is anything but values under names that are no numbers, or too much.
func (l *Layout) copyOwn(to, from goja.Value, but map[unistring.String]struct{}) bool {
	source, target := pair(&from), pair(&to)
	if source[0] != l.quick.object || target[0] != l.quick.object {
		return false
	}
	plain := polled.kinds[1].native
	a, b := (*goja.Object)(source[1]), (*goja.Object)(target[1])
	z, literal := l.literal(a)
	if l.kind(a) != plain && !literal || l.kind(b) != plain || a == b {
		return false
	}
	if len(but) == 0 && !literal && l.copyWhole(l.baseOf(b), l.baseOf(a)) {
		return true
	}
	c := &l.quick.copies
	from1, to1 := l.data(a), l.data(b)
	var names []unistring.String
	var values map[unistring.String]goja.Value
	if literal {
		if target := l.baseOf(b); len(but) == 0 && target.empty() {
			z.copyTo(target.values, z.group)
			target.propNames = z.group.sharedNames(z.index)
			return true
		}
		names, values = z.group.names[:z.index], make(map[unistring.String]goja.Value, z.index)
		for i, name := range names {
			values[name] = *z.value(i)
		}
	} else {
		names = *(*[]unistring.String)(unsafe.Add(from1, c.names))
		values = *(*map[unistring.String]goja.Value)(unsafe.Add(from1, c.values))
		if *(*unsafe.Pointer)(unsafe.Add(from1, c.symbols)) != nil || len(names) > manyNames || values == nil {
			return false
		}
	}
	for _, name := range names {
		v := values[name]
		if name == "" || name[0] >= '0' && name[0] <= '9' || v == nil || kindOf(v) == l.quick.accessor {
			return false
		}
	}
	list := (*[]unistring.String)(unsafe.Add(to1, c.names))
	has := (*map[unistring.String]goja.Value)(unsafe.Add(to1, c.values))
	if *has == nil {
		return false
	}
	for _, v := range *has {
		if kindOf(v) == l.quick.accessor {
			return false
		}
	}
	if len(*list) == 0 && len(but) == 0 {
		if *has = values; !literal {
			*has = maps.Clone(values)
		}
		if *list = names; !shared(names) {
			*list = append(make([]unistring.String, 0, len(names)+2), names...)
		}
		return true
	}
	for _, name := range names {
		if _, leave := but[name]; leave {
			continue
		}
		if _, known := (*has)[name]; !known {
			*list = appended(*list, name)
		}
		(*has)[name] = values[name]
	}
	return true
}

// copyWhole copies the properties of a plain object with a few to one without any. It does nothing, and tells so, where
// that is not so.
func (l *Layout) copyWhole(to, from *baseMirror) bool {
	if !to.empty() || from.symValues != nil || !l.cloned(to.values, from.values) {
		return false
	}
	if to.propNames = from.propNames; !shared(from.propNames) {
		to.propNames = append(make([]unistring.String, 0, len(from.propNames)+2), from.propNames...)
	}
	return true
}

// empty tells whether an object has a map with nothing in it.
func (b *baseMirror) empty() bool {
	return len(b.propNames) == 0 && b.values != nil && len(b.values) == 0
}

// copyBut copies a few properties of a plain object, without those of the names in but, to one without any. It does
// nothing, and tells so, where that is not so.
func (l *Layout) copyBut(to *baseMirror, from goja.Value, but map[unistring.String]struct{}, last *lastNames) bool {
	source := pair(&from)
	if source[0] != l.quick.object || !to.empty() {
		return false
	}
	o := (*goja.Object)(source[1])
	var names []unistring.String
	var slots *slotGroup
	m, seed := slotsOf(to.values), commonSeed
	z, literal := l.literal(o)
	if literal {
		names = z.group.names[:z.index]
		slots = &slotGroup{}
		for i, control := range z.group.controls.of(z.group.names)[:z.index] {
			slots.control[i], slots.slots[i] = control, mapSlot{names[i], *z.value(i)}
		}
	} else {
		if l.kind(o) != l.states.kind {
			return false
		}
		b := l.baseOf(o)
		has := slotsOf(b.values)
		if b.symValues != nil || has == nil || has.size != 0 || has.used != uint64(len(b.propNames)) || has.dir == nil {
			return false
		}
		names, slots, seed = b.propNames, (*slotGroup)(has.dir), has.seed
	}
	var kept [groupSlots]unistring.String
	n := 0
	g := emptyGroup()
	for i, name := range names {
		if _, leave := but[name]; leave {
			continue
		}
		s := &slots.slots[i]
		if slots.control[i] >= emptySlot || !sameName(s.key, name) || !plainName(name) || s.value == nil ||
			kindOf(s.value) == l.quick.accessor {
			return false
		}
		g.control[n], g.slots[n], kept[n] = slots.control[i], *s, name
		n++
	}
	m.seed, m.used, m.dir, m.size = seed, uint64(n), unsafe.Pointer(g), 0
	to.propNames = last.of(kept[:n])
	return true
}

// lastNames are lists of names that an instruction has given.
type lastNames struct {
	list [4]atomic.Pointer[[]unistring.String]
}

// of is a list of such names, which objects share if it is one of the first few.
func (s *lastNames) of(names []unistring.String) []unistring.String {
	if len(names) == 0 {
		return nil
	}
	for i := range s.list {
		had := s.list[i].Load()
		if had == nil {
			list := sharedNames(names...)
			if s.list[i].CompareAndSwap(nil, &list) {
				return list
			}
			had = s.list[i].Load()
		}
		if sameNames(*had, names) {
			return *had
		}
	}
	return append(make([]unistring.String, 0, len(names)+2), names...)
}

// copyAll is ...o in an object literal.
type copyAll struct {
	goja   instruction
	layout *Layout
}

func (c *copyAll) wrapped() instruction { return c.goja }

func (c *copyAll) exec(vm unsafe.Pointer) {
	l := c.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	if !l.copyOwn(stack[*sp-2], stack[*sp-1], nil) {
		c.goja.exec(vm)
		return
	}
	*sp--
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// copyRest is ...rest in an object pattern.
type copyRest struct {
	goja   instruction
	layout *Layout
	last   lastNames
}

func (c *copyRest) wrapped() instruction { return c.goja }

func (c *copyRest) exec(vm unsafe.Pointer) {
	l := c.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	if of := pair(&stack[*sp-1]); *sp < len(stack) && of[0] == l.quick.object {
		if o := (*goja.Object)(of[1]); l.kind(o) == l.quick.copies.source {
			data := l.data(o)
			from := *(*goja.Value)(unsafe.Add(data, l.quick.copies.wrapped))
			but := *(*map[unistring.String]struct{})(unsafe.Add(data, l.quick.copies.used))
			rest := l.plainObject(*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)))
			if l.copyBut(l.baseOf(rest), from, but, &c.last) || l.copyOwn(rest, from, but) {
				stack[*sp] = rest
				*sp++
				*(*int)(unsafe.Add(vm, l.quick.pc))++
				return
			}
		}
	}
	c.goja.exec(vm)
}
