package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
)

// A step of an iterator of an array, or of a Map or a Set, as for-of, patterns and spread take it. goja calls the
// iterator's method next, which makes an object for the result. Ours do what that method does, if it is goja's own.

// stepped is what a step has come to.
type stepped uint8

const (
	unknown stepped = iota // nothing has happened: goja must do it
	gave
	ended
)

// last is the innermost iterator of the loops that are under way: what the machine keeps of it, and its record.
func (l *Layout) last(vm unsafe.Pointer) (item, record unsafe.Pointer) {
	items := (*sliceHeader)(unsafe.Add(vm, l.quick.items))
	if items.len == 0 {
		return nil, nil
	}
	item = unsafe.Add(items.data, uintptr(items.len-1)*l.quick.itemSize)
	return item, *(*unsafe.Pointer)(unsafe.Add(item, l.quick.itemIter))
}

// advance takes a step of the iterator of a record.
func (l *Layout) advance(record unsafe.Pointer) (goja.Value, stepped) {
	if record == nil {
		return nil, unknown
	}
	iterator := *(**goja.Object)(unsafe.Add(record, l.quick.iterator))
	next := *(*func(goja.FunctionCall) goja.Value)(unsafe.Add(record, l.quick.next))
	a := &l.quick.arrays
	if iterator == nil {
		return nil, unknown
	}
	if code := codeOf(next); code != a.next || l.kind(iterator) != a.object {
		if from := l.ofText(iterator, code); from != nil {
			return l.advanceText(from)
		}
		return l.advanceList(iterator, code)
	}
	data := l.data(iterator)
	array := (**goja.Object)(unsafe.Add(data, a.array))
	if *array == nil {
		return nil, ended
	}
	if !l.isArray(*array) {
		return nil, unknown
	}
	index := (*int64)(unsafe.Add(data, a.index))
	if *index >= int64(*(*uint32)(unsafe.Add(l.data(*array), l.arrays.length))) {
		*array = nil
		return nil, ended
	}
	gives := int64(*(*int)(unsafe.Add(data, a.gives)))
	if gives == a.keys {
		*index++
		return l.integer(*index - 1), gave
	}
	v := l.elementAt(*array, *index)
	if v == nil {
		return nil, unknown
	}
	*index++
	if gives != a.values {
		v = l.NewArray(l.runtimeOf(iterator), []goja.Value{l.integer(*index - 1), v})
	}
	return v, gave
}

// finish is what goja does with a record whose iterator has ended.
func (l *Layout) finish(record unsafe.Pointer) {
	*(**goja.Object)(unsafe.Add(record, l.quick.iterator)) = nil
	*(*func(goja.FunctionCall) goja.Value)(unsafe.Add(record, l.quick.next)) = nil
}

// nextOfLoop is a turn of for-of.
type nextOfLoop struct {
	goja   instruction
	layout *Layout
	by     int // to where the loop ends
}

func (n *nextOfLoop) wrapped() instruction { return n.goja }

func (n *nextOfLoop) exec(vm unsafe.Pointer) {
	l := n.layout
	item, record := l.last(vm)
	switch v, how := l.advance(record); how {
	case gave:
		*(*goja.Value)(unsafe.Add(item, l.quick.itemValue)) = v
		*(*int)(unsafe.Add(vm, l.quick.pc))++
	case ended:
		l.finish(record)
		*(*int)(unsafe.Add(vm, l.quick.pc)) += n.by
	default:
		n.goja.exec(vm)
	}
}

// nextOfPattern takes an element for an array pattern.
type nextOfPattern struct {
	goja   instruction
	layout *Layout
}

func (n *nextOfPattern) wrapped() instruction { return n.goja }

func (n *nextOfPattern) exec(vm unsafe.Pointer) {
	l := n.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	if *sp >= len(stack) {
		n.goja.exec(vm)
		return
	}
	_, record := l.last(vm)
	v, how := l.advance(record)
	switch how {
	case unknown:
		n.goja.exec(vm)
		return
	case ended:
		l.finish(record)
		v = goja.Undefined()
	}
	stack[*sp] = v
	*sp++
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// restOfPattern takes the rest of an array pattern.
type restOfPattern struct {
	goja   instruction
	layout *Layout
}

func (n *restOfPattern) wrapped() instruction { return n.goja }

func (n *restOfPattern) exec(vm unsafe.Pointer) {
	l := n.layout
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	_, record := l.last(vm)
	values, all := l.remaining(record)
	if !all || *sp >= len(stack) {
		n.goja.exec(vm)
		return
	}
	l.drop(vm)
	stack[*sp] = l.array(*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)), values)
	*sp++
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// drop forgets the innermost iterator.
func (l *Layout) drop(vm unsafe.Pointer) {
	item, _ := l.last(vm)
	*(*goja.Value)(unsafe.Add(item, l.quick.itemValue)) = nil
	*(*unsafe.Pointer)(unsafe.Add(item, l.quick.itemIter)) = nil
	(*sliceHeader)(unsafe.Add(vm, l.quick.items)).len--
}

// remaining is what an iterator of an array has still to give, with nothing changed: a part of the array's own list.
// all is false if goja must find out, and if it is so much that goja must be interrupted while it takes the memory.
func (l *Layout) remaining(record unsafe.Pointer) (values []goja.Value, all bool) {
	if record == nil {
		return nil, false
	}
	iterator := *(**goja.Object)(unsafe.Add(record, l.quick.iterator))
	next := *(*func(goja.FunctionCall) goja.Value)(unsafe.Add(record, l.quick.next))
	a := &l.quick.arrays
	if iterator == nil || codeOf(next) != a.next || l.kind(iterator) != a.object {
		return nil, false
	}
	data := l.data(iterator)
	array := *(**goja.Object)(unsafe.Add(data, a.array))
	if array == nil || int64(*(*int)(unsafe.Add(data, a.gives))) != a.values {
		return nil, false
	}
	list, dense := l.Elements(array)
	index := *(*int64)(unsafe.Add(data, a.index))
	if !dense || index < 0 || index > int64(len(list)) || int64(len(list))-index > manyValues {
		return nil, false
	}
	for _, v := range list[index:] {
		if v == nil || kindOf(v) == l.quick.accessor {
			return nil, false
		}
	}
	return list[index:], true
}

// array makes an array of copies of values.
func (l *Layout) array(rt *goja.Runtime, values []goja.Value) *goja.Object {
	return l.NewArray(rt, append(make([]goja.Value, 0, len(values)), values...))
}

// grow adds copies of values to the end of an array that has all its elements in a list.
func (l *Layout) grow(o *goja.Object, values []goja.Value) {
	data := l.data(o)
	list := (*[]goja.Value)(unsafe.Add(data, l.arrays.values))
	*list = append(*list, values...)
	*(*uint32)(unsafe.Add(data, l.arrays.length)) += uint32(len(values))
	*(*int)(unsafe.Add(data, l.quick.arrayCount)) += len(values)
}

// spreadOut is ...x in a list of arguments, or of elements.
type spreadOut struct {
	goja      instruction
	layout    *Layout
	arguments bool
}

func (s *spreadOut) wrapped() instruction { return s.goja }

// exec begins a loop over what is spread and takes all from its iterator, by goja's own instructions or, if it can, at
// once.
func (s *spreadOut) exec(vm unsafe.Pointer) {
	l := s.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	of := pair(&stack[*sp-1])
	text := of[0] != l.quick.object && l.shortText(stack[*sp-1])
	if !text && (of[0] != l.quick.object || !l.isArray((*goja.Object)(of[1]))) {
		if !s.arguments {
			l.settle(stack[*sp-2 : *sp-1]) // goja knows the literal that it adds to by its method table
		}
		s.goja.exec(vm)
		return
	}
	pc := (*int)(unsafe.Add(vm, l.quick.pc))
	var values []goja.Value
	all := false
	if !text {
		values, all = l.spread(vm, (*goja.Object)(of[1]))
	}
	if all {
		*sp--
	} else {
		values = l.taken(vm, text)
		stack = *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	}
	if !s.arguments {
		l.grow(stack[*sp-1].(*goja.Object), values)
		*pc++
		return
	}
	if need := *sp + len(values); need > len(stack) {
		bigger := make([]goja.Value, need+need/4)
		copy(bigger, stack[:*sp])
		*(*[]goja.Value)(unsafe.Add(vm, l.machine.stack)) = bigger
		stack = bigger
	}
	copy(stack[*sp:], values)
	*sp += len(values)
	*pc++
}

// taken takes what is on top of the stack off, and all that its iterator gives. The machine stays where it is.
func (l *Layout) taken(vm unsafe.Pointer, text bool) (values []goja.Value) {
	pc, sp := (*int)(unsafe.Add(vm, l.quick.pc)), (*int)(unsafe.Add(vm, l.machine.sp))
	at := *pc
	l.quick.begin.exec(vm)
	*pc = at
	_, record := l.last(vm)
	values, all := l.remaining(record)
	switch {
	case all:
		l.drop(vm)
	case text && l.takeText(vm, record, &values):
	default:
		l.quick.rest.exec(vm)
		*pc = at
		*sp--
		o := (*(*[]goja.Value)(unsafe.Add(vm, l.machine.stack)))[*sp].(*goja.Object)
		values = *(*[]goja.Value)(unsafe.Add(l.data(o), l.arrays.values))
	}
	return values
}

// beginOfLoop begins going over something.
type beginOfLoop struct {
	goja   instruction
	layout *Layout
	keep   bool // what is gone over stays on the stack
}

func (b *beginOfLoop) wrapped() instruction { return b.goja }

// exec gives an iterator whose next is no function one that throws: goja would call nil at the first step. A pattern
// may end without a step.
func (b *beginOfLoop) exec(vm unsafe.Pointer) {
	l := b.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	if of := pair(&stack[*sp-1]); of[0] == l.quick.object && l.goThrough(vm, (*goja.Object)(of[1])) {
		if !b.keep {
			*sp--
		}
		*(*int)(unsafe.Add(vm, l.quick.pc))++
		return
	}
	b.goja.exec(vm)
	_, record := l.last(vm)
	next := (*func(goja.FunctionCall) goja.Value)(unsafe.Add(record, l.quick.next))
	if *next != nil {
		return
	}
	rt := *(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime))
	*next = func(goja.FunctionCall) goja.Value {
		panic(rt.NewTypeError("iterator.next is missing or not a function")) // goja's text where it looks itself
	}
}
