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
}

func (b *integerBits) wrapped() instruction { return b.goja }

func (b *integerBits) exec(vm unsafe.Pointer) {
	l := b.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := *(*int)(unsafe.Add(vm, l.machine.sp))
	for i := sp - b.operands; i < sp; i++ {
		p := pair(&stack[i])
		if p[0] == l.operands.integer {
			continue
		}
		if f, ok := l.float(p); ok && math.Abs(f) >= 1<<63 && f-f == 0 {
			stack[i] = l.integer(int64(math.Mod(f, 1<<32)))
		}
	}
	b.goja.exec(vm)
}
