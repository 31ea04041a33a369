package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// pair is a value as a kind and what it points to.
func pair(v *goja.Value) *[2]unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(v)) }

// arithmetic is +, - or * of numbers.
type arithmetic struct {
	goja   instruction
	layout *Layout
	op     byte // of goja's name: a, s or m
}

func (a *arithmetic) wrapped() instruction { return a.goja }

func (a *arithmetic) exec(vm unsafe.Pointer) {
	l := a.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	x, y := stack[*sp-2], stack[*sp-1]
	v := l.calculated(a.op, x, y)
	if v == nil && a.op == 'a' && !l.heavy(x) && !l.heavy(y) { // or goja's instruction, which is watched
		v = l.added(vm, x, y)
	}
	if v == nil {
		a.goja.exec(vm)
		return
	}
	stack[*sp-2] = v
	*sp--
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

type order uint8

const (
	less order = iota
	lessEqual
	greater
	greaterEqual
	same
	other
)

var orders = map[string]order{
	"_op_lt": less, "_op_lte": lessEqual, "_op_gt": greater, "_op_gte": greaterEqual, "_op_strict_eq": same,
	"_op_strict_neq": other,
}

// jump is an instruction that goes on elsewhere if the value on top is true, or false.
type jump uint8

const (
	jumpNone    jump = iota
	jumpNot          // takes the value off
	jumpIf           // takes the value off
	jumpNotKeep      // leaves the value if it jumps
	jumpIfKeep       // leaves the value if it jumps
)

var jumps = map[string]jump{"jneP": jumpNot, "jeqP": jumpIf, "jne": jumpNotKeep, "jeq": jumpIfKeep}

// comparison is a comparison of numbers, or for identity, and the jump that follows.
type comparison struct {
	goja   instruction
	layout *Layout
	op     order
	jump   jump
	by     int
}

func (c *comparison) wrapped() instruction { return c.goja }

func (c *comparison) exec(vm unsafe.Pointer) {
	l := c.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	yes, known := l.compared(c.op, stack[*sp-2], stack[*sp-1])
	if !known {
		c.goja.exec(vm)
		return
	}
	pc := (*int)(unsafe.Add(vm, l.quick.pc))
	switch jumps := yes == (c.jump == jumpIf || c.jump == jumpIfKeep); {
	case c.jump == jumpNone:
		*sp--
		stack[*sp-1] = l.boolean(yes)
		*pc++
	case c.jump == jumpNotKeep, c.jump == jumpIfKeep:
		if *pc++; jumps {
			*sp--
			stack[*sp-1] = l.boolean(yes)
			*pc += c.by
		} else {
			*sp -= 2
			*pc++
		}
	default:
		*sp -= 2
		if *pc++; jumps {
			*pc += c.by
		} else {
			*pc++
		}
	}
}

// identity tells whether values of a kind are the same as no value of another kind: objects, undefined and null.
func (l *Layout) identity(kind unsafe.Pointer) bool {
	return kind == l.quick.object || kind == l.quick.undefined || kind == l.quick.null
}

// Boolean is a truth value.
func (l *Layout) Boolean(yes bool) goja.Value { return l.boolean(yes) }

func (l *Layout) boolean(yes bool) goja.Value {
	if yes {
		return l.quick.yes
	}
	return l.quick.no
}

// textProperty is a property of a plain object, or of a text that is found without an object for the text: its length,
// or one of String.prototype's.
type textProperty struct {
	goja         instruction
	layout       *Layout
	name         string
	keep, length bool // leave the text for a call; it is the length
	seek         seek
}

func (p *textProperty) wrapped() instruction { return p.goja }

func (p *textProperty) exec(vm unsafe.Pointer) {
	l := p.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	top := *sp - 1
	of := pair(&stack[top])
	if of[0] == l.quick.object {
		if v := p.seek.direct(l, (*goja.Object)(of[1]), unistring.String(p.name)); v != nil {
			if p.keep {
				stack = l.room(vm, *sp)
				stack[*sp] = v
				*sp++
			} else {
				stack[top] = v
			}
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
		p.ofObject(vm, l.room(vm, *sp), sp)
		return
	}
	if of[0] != l.operands.ascii && of[0] != l.operands.unicode && of[0] != l.operands.imported ||
		p.keep && *sp >= len(stack) {
		p.goja.exec(vm)
		return
	}
	var v goja.Value
	if p.length {
		switch of[0] {
		case l.operands.ascii:
			v = l.integer(int64(len(*(*string)(of[1]))))
		case l.operands.unicode:
			v = l.integer(int64(len(*(*[]uint16)(of[1])) - 1)) // behind a mark
		default:
			v = l.integer(int64(stack[top].(goja.String).Length()))
		}
	} else {
		rt := *(*unsafe.Pointer)(unsafe.Add(vm, l.machine.runtime))
		proto := *(**goja.Object)(unsafe.Add(rt, l.quick.global+l.quick.text))
		if proto == nil {
			p.goja.exec(vm)
			return
		}
		var rest *goja.Object
		if v, rest = p.seek.ofText(l, vm, proto, p.name); rest != nil {
			v = l.property(rest, p.name, stack[top])
			stack = l.stackFor(vm, *sp)
		}
		if v == nil {
			p.goja.exec(vm)
			return
		}
	}
	if p.keep {
		stack[*sp] = v
		*sp++
	} else {
		stack[top] = v
	}
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// ofObject is a property of an object. There is room on the stack for it.
func (p *textProperty) ofObject(vm unsafe.Pointer, stack []goja.Value, sp *int) {
	l := p.layout
	if p.length && !p.keep {
		if o := (*goja.Object)(pair(&stack[*sp-1])[1]); l.isArray(o) {
			stack[*sp-1] = l.integer(int64((*arrayMirror)(l.data(o)).length))
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
	}
	v, rest := p.seek.of(l, vm, (*goja.Object)(pair(&stack[*sp-1])[1]), p.name)
	if rest != nil {
		v = l.property(rest, p.name, l.takenApart(rest, stack[*sp-1]))
		stack = l.stackFor(vm, *sp)
	}
	switch {
	case p.keep && v == nil:
		p.goja.exec(vm) // which makes of it what the call complains of
		return
	case p.keep:
		*sp++
	case v == nil:
		v = goja.Undefined()
	}
	stack[*sp-1] = v
	*(*int)(unsafe.Add(vm, l.quick.pc))++
}

// stackFor is the machine's stack after something has run that may have made it another one, with room at a place. A
// native function that has called a script cuts off what is above the top.
func (l *Layout) stackFor(vm unsafe.Pointer, place int) []goja.Value {
	stack := (*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	if more := place + 1 - len(*stack); more > 0 {
		*stack = append(*stack, make([]goja.Value, more)...)
	}
	return *stack
}

// element is an element of an array at an integer.
type element struct {
	goja   instruction
	layout *Layout
}

func (e *element) wrapped() instruction { return e.goja }

func (e *element) exec(vm unsafe.Pointer) {
	l := e.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	of, at := pair(&stack[*sp-2]), pair(&stack[*sp-1])
	if of[0] == l.quick.object && at[0] == l.operands.integer {
		if v := l.elementAt((*goja.Object)(of[1]), *(*int64)(at[1])); v != nil {
			stack[*sp-2] = v
			*sp--
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
	}
	if at[0] == l.operands.integer {
		if v := l.characterAt(of, *(*int64)(at[1])); v != nil {
			stack[*sp-2] = v
			*sp--
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
	} else if l.isMinus(stack[*sp-1]) {
		if v, ok := l.minusOf(vm, stack[*sp-2]); ok {
			(*(*[]goja.Value)(unsafe.Add(vm, l.machine.stack)))[*sp-2] = v
			*sp--
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
	}
	if of[0] == l.quick.object && at[0] == l.operands.ascii {
		name := *(*string)(at[1])
		o := (*goja.Object)(of[1])
		known := l.keepers.of(l.kind(o)) != keepsElsewhere || l.kind(o) == l.quick.apart
		if known && plainName(unistring.String(name)) {
			v, rest := l.held(o, name)
			if rest != nil {
				v = l.property(rest, name, l.takenApart(rest, stack[*sp-2]))
				stack = *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
			}
			if v == nil {
				v = goja.Undefined()
			}
			stack[*sp-2] = v
			*sp--
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
	}
	e.goja.exec(vm)
}

// elementAt is an element that an array keeps as a value, nil if it has none there or o is no array.
func (l *Layout) elementAt(o *goja.Object, at int64) goja.Value {
	if !l.isArray(o) {
		return nil
	}
	list := *(*[]goja.Value)(unsafe.Add(l.data(o), l.arrays.values))
	if uint64(at) >= uint64(len(list)) || kindOf(list[at]) == l.quick.accessor {
		return nil
	}
	return list[at]
}
