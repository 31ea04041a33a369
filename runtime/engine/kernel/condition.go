package kernel

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// condition evaluates a test and returns the jumps that are taken if its truth is want; otherwise the next instruction
// follows.
func (l *lowerer) condition(e ast.Expression, want bool) []int {
	switch v := e.(type) {
	case *ast.UnaryExpression:
		if v.Operator == token.NOT {
			return l.condition(v.Operand, !want)
		}
	case *ast.BinaryExpression:
		switch v.Operator {
		case token.LOGICAL_AND, token.LOGICAL_OR:
			// of a && b either being false makes it false, and of a || b either being true makes it true
			if (v.Operator == token.LOGICAL_OR) == want {
				return append(l.condition(v.Left, want), l.condition(v.Right, want)...)
			}
			skip := l.condition(v.Left, !want)
			out := l.condition(v.Right, want)
			l.here(skip)
			return out
		case token.LESS:
			return l.compare(opIfLess, opIfNotLess, v.Left, v.Right, want, false)
		case token.GREATER:
			return l.compare(opIfLess, opIfNotLess, v.Left, v.Right, want, true)
		case token.LESS_OR_EQUAL:
			return l.compare(opIfLessEq, opIfNotLessEq, v.Left, v.Right, want, false)
		case token.GREATER_OR_EQUAL:
			return l.compare(opIfLessEq, opIfNotLessEq, v.Left, v.Right, want, true)
		case token.EQUAL, token.STRICT_EQUAL:
			return l.compare(opIfEq, opIfNotEq, v.Left, v.Right, want, false)
		case token.NOT_EQUAL, token.STRICT_NOT_EQUAL:
			return l.compare(opIfEq, opIfNotEq, v.Left, v.Right, !want, false)
		}
	}
	x := l.expression(e)
	yes, no := opIfInt, opIfNotInt
	if x.kind == kindNum {
		yes, no = opIfTrue, opIfFalse
	}
	if !want {
		yes = no
	}
	return []int{l.emit(ins{op: yes, a: x.reg})}
}

// compare is a comparison of numbers, or of ints where both are.
func (l *lowerer) compare(yes, no op, left, right ast.Expression, want, swap bool) []int {
	a := l.kept(l.expression(left), right)
	b := l.expression(right)
	if yes == opIfEq && a.odd && b.odd {
		fail("both may be undefined")
	}
	signed := a.kind != kindNum && b.kind != kindNum && a.kind != kindUint && b.kind != kindUint
	switch {
	case signed && yes == opIfEq:
		yes, no = opIfIntEq, opIfIntNotEq
	case signed && yes == opIfLess:
		yes, no = opIfIntLess, opIfIntNotLess
	default:
		a, b = l.asNum(a), l.asNum(b)
	}
	if swap {
		a, b = b, a
	}
	if !want {
		yes = no
	}
	return []int{l.emit(ins{op: yes, a: a.reg, b: b.reg})}
}
