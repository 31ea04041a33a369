package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// cases are the tests of a switch statement, each of which compares a copy of the value with an operand.
type cases struct {
	goja   instruction
	layout *Layout
	list   []caseOf
}

// caseOf is a test, and how far behind the first test its statements are.
type caseOf struct {
	operand
	by int
}

func (c *cases) wrapped() instruction { return c.goja }

// caseSize is how many instructions a test has: the copy, the operand, the comparison, the jump to the next test, and
// what takes the value off and jumps to the statements.
const caseSize = 6

func (c *cases) exec(vm unsafe.Pointer) {
	l := c.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp, pc := (*int)(unsafe.Add(vm, l.machine.sp)), (*int)(unsafe.Add(vm, l.quick.pc))
	v := stack[*sp-1]
	for i := range c.list {
		k := &c.list[i]
		test := k.load(l, vm, stack)
		yes, known := l.compared(same, v, test)
		known = known && test != nil
		switch {
		case known && yes:
			*sp--
			*pc += k.by
			return
		case !known && i == 0:
			c.goja.exec(vm)
			return
		case !known:
			*pc += i * caseSize
			return
		}
	}
	*pc += len(c.list) * caseSize
}

// casesAt are the tests of a switch statement that begin at a place; nil if none do that ours can carry out.
func (l *Layout) casesAt(code []instruction, first int) *cases {
	if traitsOf(code[first]).name != "_dup" {
		return nil // as nearly everywhere
	}
	c := &cases{goja: code[first], layout: l}
	for i := first; i+caseSize <= len(code) && traitsOf(code[i]).name == "_dup"; i += caseSize {
		of, ok := operandOf(code[i+1])
		if !ok || traitsOf(code[i+4]).name != "_pop" || traitsOf(code[i+5]).name != "jump" {
			break
		}
		test, ok := code[i+2].(*comparison)
		if !ok || test.op != same || test.jump != jumpNot || test.by != caseSize-3 {
			break
		}
		c.list = append(c.list, caseOf{of, i + 5 + int(reflect.ValueOf(code[i+5]).Int()) - first})
	}
	if len(c.list) == 0 {
		return nil
	}
	return c
}
