package gojainternals

import (
	"math"
	"unsafe"

	"github.com/dop251/goja"
)

// integerBits is an operator of integers of 32 bits. goja takes numbers from 2^63 on for 0, or what the processor makes
// of them; the language takes their lowest bits.
type integerBits struct {
	goja     instruction
	layout   *Layout
	operands int
	op       byte // of bitOperators, if there are two
}

func (b *integerBits) wrapped() instruction { return b.goja }

func (b *integerBits) exec(vm unsafe.Pointer) {
	l := b.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := *(*int)(unsafe.Add(vm, l.machine.sp))
	if b.operands == 2 {
		left, right := pair(&stack[sp-2]), pair(&stack[sp-1])
		if left[0] == l.operands.integer && right[0] == l.operands.integer {
			stack[sp-2] = l.integer(lowBits(b.op, int32(*(*int64)(left[1])), int32(*(*int64)(right[1]))))
			*(*int)(unsafe.Add(vm, l.machine.sp)) = sp - 1
			*(*int)(unsafe.Add(vm, l.quick.pc))++
			return
		}
	}
	for i := sp - b.operands; i < sp; i++ {
		if kindOf(stack[i]) == l.operands.integer {
			continue
		}
		if s, ok := stack[i].(goja.String); ok {
			stack[i] = s.ToNumber()
		}
		if low, ok := l.LowBits(stack[i]); ok {
			stack[i] = low
		}
	}
	b.goja.exec(vm)
}

// lowBits is what an operator makes of the lowest bits of two numbers.
func lowBits(op byte, x, y int32) int64 {
	switch op {
	case '&':
		return int64(x & y)
	case '|':
		return int64(x | y)
	case '^':
		return int64(x ^ y)
	case '<':
		return int64(x << (uint32(y) & 31))
	case '>':
		return int64(x >> (uint32(y) & 31))
	}
	return int64(uint32(x) >> (uint32(y) & 31))
}

// bitOperators are the operators by the names of goja's instructions.
var bitOperators = map[string]byte{"_and": '&', "_or": '|', "_xor": '^', "_sal": '<', "_sar": '>', "_shr": 'u'}

// LowBits is a number with the same lowest 32 bits as one in which goja does not find them itself. It is not ok for any
// other value.
func (l *Layout) LowBits(v goja.Value) (low goja.Value, ok bool) {
	if kindOf(v) != l.plain.float {
		return nil, false
	}
	if f := *(*float64)(pair(&v)[1]); math.Abs(f) >= 1<<63 && f-f == 0 {
		return l.integer(int64(math.Mod(f, 1<<32))), true
	}
	return nil, false
}

// TakesLowBits tells whether a typed array keeps the lowest bits of a number.
func (l *Layout) TakesLowBits(o *goja.Object) bool {
	if !l.IsTypedArray(o) {
		return false
	}
	switch l.stores[*(*unsafe.Pointer)(unsafe.Add(l.data(o), l.views.store))] {
	case "Int8Array", "Uint8Array", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array":
		return true
	}
	return false
}

// elementSet is a write at a key: of a number to a typed array, perhaps, or at the name of a minus sign.
type elementSet struct {
	minusTold
	keep bool
}

func (e *elementSet) exec(vm unsafe.Pointer) {
	l := e.layout
	stack, sp := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack)), *(*int)(unsafe.Add(vm, l.machine.sp))
	kept := stack[sp-1]
	if low, ok := l.LowBits(kept); ok {
		if o, ok := stack[sp-3].(*goja.Object); ok && l.TakesLowBits(o) {
			stack[sp-1] = low
			e.minusTold.exec(vm)
			if e.keep { // an assignment is what was assigned
				l.stackFor(vm, sp-3)[sp-3] = kept
			}
			return
		}
	}
	e.minusTold.exec(vm)
}
