package kernel

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// A kernel has null only where an input is null, and compares with it: what is an array or an object is known when the
// kernel begins, so that most such comparisons are decided then.

// comparedWithNull is what an expression compares with null; nil if it does not.
func comparedWithNull(b *ast.BinaryExpression) ast.Expression {
	switch b.Operator {
	case token.EQUAL, token.NOT_EQUAL, token.STRICT_EQUAL, token.STRICT_NOT_EQUAL:
	default:
		return nil
	}
	if _, is := b.Right.(*ast.NullLiteral); is {
		return b.Left
	}
	if _, is := b.Left.(*ast.NullLiteral); is {
		return b.Right
	}
	return nil
}

// differs tells whether an operator asks for what is not equal, strict whether nothing is converted for it.
func differs(t token.Token) bool { return t == token.NOT_EQUAL || t == token.STRICT_NOT_EQUAL }

func strict(t token.Token) bool { return t == token.STRICT_EQUAL || t == token.STRICT_NOT_EQUAL }

func undefinedValue() value { return value{number: undefined, code: constI64(oddValue)} }

// isNull compares an expression with null.
func (l *lowerer) isNull(e ast.Expression, t token.Token) value {
	if id, is := e.(*ast.Identifier); is && l.env != nil {
		if x, mixed := l.mixedIsNull(id.Name.String(), t); mixed {
			return x
		}
	}
	return l.valueIsNull(l.expression(e), t)
}

// valueIsNull compares a value with null.
func (l *lowerer) valueIsNull(x value, t token.Token) value {
	switch {
	case !x.scalar():
		return after(x.code, truth(x.null != differs(t)))
	case !strict(t) && x.odd:
		return l.equal(t, x, undefinedValue())
	}
	return after(seq(x.code, op(opDrop)), truth(differs(t)))
}

// mixedIsNull asks the tag of a variable that may be of two kinds; mixed is false for any other.
func (l *lowerer) mixedIsNull(name string, t token.Token) (x value, mixed bool) {
	f := l.frame()
	known := l.plan.free[f.fn][name] != nil
	for _, names := range f.names {
		known = known || names[name] != nil
	}
	if !known {
		return x, false
	}
	v := l.look(name)
	b, there := l.held(v)
	if !there || !b.mixed {
		return x, false
	}
	code := seq(get(l.tag(v)), constI32(tagNull), op(opI32Eq))
	if !strict(t) {
		code = seq(code, get(l.tag(v)), constI32(tagNumber), op(opI32Eq), get(l.slot(v, repF64)), isUndefined(),
			op(opI32And, opI32Or))
	}
	if differs(t) {
		code = seq(code, op(opI32Eqz))
	}
	return value{number: anyBoolean, code: code}, true
}

// unlike compares two values of which at least one is an array, an object or null.
func (l *lowerer) unlike(t token.Token, x, y value) value {
	switch {
	case x.null:
		return after(x.code, l.valueIsNull(y, t))
	case y.null:
		return after(y.code, l.valueIsNull(x, t))
	case x.scalar() && (strict(t) || x.number == undefined):
		return after(seq(x.code, op(opDrop), y.code), truth(differs(t)))
	case y.scalar() && (strict(t) || y.number == undefined):
		return after(seq(x.code, y.code, op(opDrop)), truth(differs(t)))
	}
	fail("arrays or objects are compared")
	return value{}
}
