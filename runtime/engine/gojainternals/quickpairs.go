package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// Most operators and properties are of variables and constants, so that goja puts one or two values on the stack only
// to take them off at once. Where the first of such instructions stands, ours does them all. The others stay at
// their places: something may jump there, and where the values are not of the frequent kinds goja goes on there.

// operand is what an instruction puts on the stack without doing anything.
type operand struct {
	source
	n, level int
	value    goja.Value
}

// source says where an operand is.
type source uint8

const (
	sourceNone    source   = iota
	sourceValue            // a constant
	sourceLocal            // behind the arguments
	sourceBase             // from the base on
	sourceGiven            // an argument that may not have been given
	sourceStash            // a scope of its own
	sourceLexical = 1 << 4 // together with one of them: it may have no value yet
)

// loading says what an instruction of goja's puts on the stack.
type loading uint8

const (
	loadsNothing loading = iota
	loadsValue
	loadsStack
	loadsStackLex
	loadsStack1
	loadsStack1Lex
	loadsStash
	loadsStashLex
)

// loads are the instructions that do nothing but put something on the stack.
var loads = map[string]loading{"loadVal": loadsValue, "loadStack": loadsStack, "loadStackLex": loadsStackLex,
	"loadStack1": loadsStack1, "loadStack1Lex": loadsStack1Lex, "loadStash": loadsStash, "loadStashLex": loadsStashLex}

// operandOf is what an instruction loads; ok is false if it does anything else.
func operandOf(in instruction) (o operand, ok bool) {
	number := func() int { return int(reflect.ValueOf(in).Int()) }
	switch how := traitsOf(in).loads; how {
	case loadsValue:
		return operand{source: sourceValue, value: *(*goja.Value)(dataOf(in))}, true
	case loadsStack, loadsStackLex:
		lexical := how == loadsStackLex
		switch n := number(); {
		case n > 0 && lexical:
			return operand{source: sourceLocal | sourceLexical, n: n}, true
		case n > 0:
			return operand{source: sourceLocal, n: n}, true
		case lexical:
			return operand{source: sourceGiven | sourceLexical, n: -n}, true
		}
		return operand{source: sourceBase | sourceLexical}, true // this; without one goja shall look
	case loadsStack1:
		if n := number(); n > 0 {
			return operand{source: sourceBase, n: n}, true
		}
		return operand{source: sourceBase | sourceLexical}, true
	case loadsStack1Lex:
		return operand{source: sourceBase | sourceLexical, n: number()}, true
	case loadsStash, loadsStashLex:
		n := reflect.ValueOf(in).Uint()
		o = operand{source: sourceStash, n: int(n & 0xffffff), level: int(n >> 24)}
		if how == loadsStashLex {
			o.source |= sourceLexical
		}
		return o, true
	}
	return operand{}, false
}

// load is the operand's value, nil if goja must find out.
func (o *operand) load(l *Layout, vm unsafe.Pointer, stack []goja.Value) (v goja.Value) {
	switch i := *(*int)(unsafe.Add(vm, l.machine.sb)) + o.n; o.source &^ sourceLexical {
	case sourceValue:
		return o.value
	case sourceLocal:
		v = stack[i+*(*int)(unsafe.Add(vm, l.shortcut.args))]
	case sourceGiven:
		if o.n > *(*int)(unsafe.Add(vm, l.shortcut.args)) {
			return goja.Undefined()
		}
		v = stack[i]
	case sourceBase:
		v = stack[i]
	default:
		stash := *(*unsafe.Pointer)(unsafe.Add(vm, l.regions.stash))
		for range o.level {
			stash = *(*unsafe.Pointer)(unsafe.Add(stash, l.regions.outer))
		}
		v = (*(*[]goja.Value)(unsafe.Add(stash, l.regions.values)))[o.n]
	}
	if v == nil && o.source&sourceLexical == 0 {
		return goja.Undefined()
	}
	return v
}

// join puts ours in the place of the first of instructions that belong together. The code has been quickened.
func (l *Layout) join(code []instruction) {
	for i := 0; i+1 < len(code); i++ {
		if c := l.casesAt(code, i); c != nil {
			code[i] = c
			continue
		}
		a, ok := operandOf(code[i])
		if !ok {
			continue
		}
		switch next := code[i+1].(type) {
		case *textProperty:
			if a.source != sourceValue {
				code[i] = &propertyOf{goja: code[i], layout: l, of: a, property: next}
			}
			continue
		case *element:
			continue
		}
		if t := traitsOf(code[i+1]); t.jumps && (t.jump == jumpNot || t.jump == jumpIf) {
			code[i] = &branchOn{goja: code[i], layout: l, of: a, yes: t.jump == jumpIf,
				by: int(reflect.ValueOf(code[i+1]).Int())}
			continue
		}
		b, ok := operandOf(code[i+1])
		if !ok || i+2 >= len(code) {
			continue
		}
		last := code[i+2]
		if o, watched := last.(*operator); watched { // which cares for long texts and BigInts
			last = o.goja
		}
		switch last := last.(type) {
		case *arithmetic:
			code[i] = &arithmeticOf{goja: code[i], layout: l, a: a, b: b, op: last.op}
		case *comparison:
			if last.jump == jumpNot || last.jump == jumpIf {
				code[i] = &comparisonOf{goja: code[i], layout: l, a: a, b: b, of: last}
			}
		case *element:
			code[i] = &elementOf{goja: code[i], layout: l, a: a, b: b}
		}
	}
}

// propertyOf is a property of a variable.
type propertyOf struct {
	goja     instruction
	layout   *Layout
	of       operand
	property *textProperty
}

func (p *propertyOf) wrapped() instruction { return p.goja }

func (p *propertyOf) exec(vm unsafe.Pointer) {
	l := p.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	of := p.of.load(l, vm, stack)
	if of == nil {
		p.goja.exec(vm)
		return
	}
	stack = l.room(vm, *sp+1)
	if held := pair(&of); held[0] == l.quick.object {
		if v := p.property.seek.direct(l, (*goja.Object)(held[1]), unistring.String(p.property.name)); v != nil {
			if p.property.keep {
				stack[*sp] = of
				*sp++
			}
			stack[*sp] = v
			*sp++
			*(*int)(unsafe.Add(vm, l.quick.pc)) += 2
			return
		}
	}
	stack[*sp] = of
	*sp++
	*(*int)(unsafe.Add(vm, l.quick.pc))++
	p.property.exec(vm)
}

// branchOn is a jump that a variable decides.
type branchOn struct {
	goja   instruction
	layout *Layout
	of     operand
	yes    bool // it jumps if the value is true
	by     int
}

func (b *branchOn) wrapped() instruction { return b.goja }

func (b *branchOn) exec(vm unsafe.Pointer) {
	l := b.layout
	v := b.of.load(l, vm, *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack)))
	yes, known := l.truth(v)
	if !known {
		b.goja.exec(vm)
		return
	}
	pc := (*int)(unsafe.Add(vm, l.quick.pc))
	if *pc++; yes == b.yes {
		*pc += b.by
	} else {
		*pc++
	}
}

// arithmeticOf is +, - or * of variables.
type arithmeticOf struct {
	goja   instruction
	layout *Layout
	a, b   operand
	op     byte
}

func (a *arithmeticOf) wrapped() instruction { return a.goja }

func (a *arithmeticOf) exec(vm unsafe.Pointer) {
	l := a.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	x, y := a.a.load(l, vm, stack), a.b.load(l, vm, stack)
	if *sp < len(stack) {
		v := l.calculated(a.op, x, y)
		if v == nil && a.op == 'a' && !l.heavy(x) && !l.heavy(y) { // or goja's instruction, which is watched
			v = l.added(vm, x, y)
		}
		if v != nil {
			stack[*sp] = v
			*sp++
			*(*int)(unsafe.Add(vm, l.quick.pc)) += 3
			return
		}
	}
	a.goja.exec(vm)
}

// comparisonOf is a comparison of variables that decides a jump.
type comparisonOf struct {
	goja   instruction
	layout *Layout
	a, b   operand
	of     *comparison
}

func (c *comparisonOf) wrapped() instruction { return c.goja }

func (c *comparisonOf) exec(vm unsafe.Pointer) {
	l := c.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	x, y := c.a.load(l, vm, stack), c.b.load(l, vm, stack)
	yes, known := l.compared(c.of.op, x, y)
	if !known || x == nil || y == nil { // a variable that has no value yet
		c.goja.exec(vm)
		return
	}
	pc := (*int)(unsafe.Add(vm, l.quick.pc))
	if *pc += 3; yes == (c.of.jump == jumpIf) {
		*pc += c.of.by
	} else {
		*pc++
	}
}

// elementOf is an element of a variable.
type elementOf struct {
	goja   instruction
	layout *Layout
	a, b   operand
}

func (e *elementOf) wrapped() instruction { return e.goja }

func (e *elementOf) exec(vm unsafe.Pointer) {
	l := e.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	o, at := e.a.load(l, vm, stack), e.b.load(l, vm, stack)
	of, index := pair(&o), pair(&at)
	if of[0] == l.quick.object && index[0] == l.operands.integer && *sp < len(stack) {
		if v := l.elementAt((*goja.Object)(of[1]), *(*int64)(index[1])); v != nil {
			stack[*sp] = v
			*sp++
			*(*int)(unsafe.Add(vm, l.quick.pc)) += 3
			return
		}
	}
	if index[0] == l.operands.integer && *sp < len(stack) {
		if v := l.characterAt(of, *(*int64)(index[1])); v != nil {
			stack[*sp] = v
			*sp++
			*(*int)(unsafe.Add(vm, l.quick.pc)) += 3
			return
		}
	}
	e.goja.exec(vm)
}
