package kernel

import (
	"math"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// fixed is the value of an expression that is known now.
func (l *lowerer) fixed(e ast.Expression) (float64, bool) {
	switch v := e.(type) {
	case *ast.NumberLiteral:
		switch n := v.Value.(type) {
		case int64:
			return float64(n), true
		case float64:
			return n, true
		}
		fail("literal")
	case *ast.Identifier:
		if x := l.look(v.Name.String()); x.fixed != nil {
			return *x.fixed, true
		}
	case *ast.UnaryExpression:
		if f, ok := l.fixed(v.Operand); ok && v.Operator == token.MINUS {
			return -f, true
		}
	case *ast.BinaryExpression:
		a, ok := l.fixed(v.Left)
		if !ok {
			return 0, false
		}
		b, ok := l.fixed(v.Right)
		if !ok {
			return 0, false
		}
		switch v.Operator {
		case token.PLUS:
			return a + b, true
		case token.MINUS:
			return a - b, true
		case token.MULTIPLY:
			return a * b, true
		}
	}
	return 0, false
}

// constantValue is a known value in a register: an int where it is one.
func (l *lowerer) constantValue(f float64) value {
	if i := int64(f); f == float64(i) && !(f == 0 && math.Signbit(f)) && i >= math.MinInt32 && i <= math.MaxUint32 {
		k := kindInt
		if i > math.MaxInt32 {
			k = kindUint
		} else if i >= 0 {
			k = kindLit
		}
		return value{reg: l.integer(i), kind: k, own: true}
	}
	return value{reg: l.number(f), kind: kindNum, own: true}
}

// impure tells whether evaluating an expression may change a variable or an element.
func (l *lowerer) impure(e ast.Expression) bool {
	switch v := e.(type) {
	case nil, *ast.NumberLiteral, *ast.Identifier:
		return false
	case *ast.BinaryExpression:
		return l.impure(v.Left) || l.impure(v.Right)
	case *ast.BracketExpression:
		return l.impure(v.Member)
	case *ast.UnaryExpression:
		return v.Operator == token.INCREMENT || v.Operator == token.DECREMENT || l.impure(v.Operand)
	case *ast.ConditionalExpression:
		return l.impure(v.Test) || l.impure(v.Consequent) || l.impure(v.Alternate)
	case *ast.CallExpression:
		if _, body := l.small(v); body == nil {
			return true
		}
		for _, arg := range v.ArgumentList {
			if l.impure(arg) {
				return true
			}
		}
		return false
	}
	return true
}

// kept is a value that what is evaluated later does not change.
func (l *lowerer) kept(v value, later ...ast.Expression) value {
	if v.own {
		return v
	}
	for _, e := range later {
		if l.impure(e) {
			r := l.alloc()
			l.emit(ins{op: opMove, a: r, b: v.reg})
			v.reg, v.own = r, true
			return v
		}
	}
	return v
}

// asNum is a value as a double.
func (l *lowerer) asNum(v value) value {
	if v.kind == kindNum {
		return v
	}
	r := l.alloc()
	o := opFromInt
	if v.kind == kindUint {
		o = opFromUint
	}
	l.emit(ins{op: o, a: r, b: v.reg})
	return value{reg: r, kind: kindNum, own: true}
}

// asInt is ToInt32 of a value, as bits.
func (l *lowerer) asInt(v value) value {
	if v.kind != kindNum {
		return v
	}
	r := l.alloc()
	l.emit(ins{op: opToInt, a: r, b: v.reg})
	return value{reg: r, kind: kindInt, own: true}
}

func isBitwise(t token.Token) bool {
	switch t {
	case token.AND, token.OR, token.EXCLUSIVE_OR, token.SHIFT_LEFT, token.SHIFT_RIGHT, token.UNSIGNED_SHIFT_RIGHT:
		return true
	}
	return false
}

// exact is the number of bits that the magnitude of an integer expression takes at most, and ok is false where it may
// be no integer, -0 or undefined. Sums below 2^53 are exact in doubles, so that they may be made of their low bits.
func (l *lowerer) exact(e ast.Expression) (width int, ok bool) {
	if f, known := l.fixed(e); known {
		return 32, f == math.Trunc(f) && math.Abs(f) < 1<<32
	}
	switch v := e.(type) {
	case *ast.Identifier:
		x := l.look(v.Name.String())
		if x.param != nil {
			return 32, x.param.kind != kindNum && !x.param.odd
		}
		return 32, x.array < 0 && l.kindOf(x) != kindNum && !l.facts.odd[x.key]
	case *ast.UnaryExpression:
		return 32, v.Operator == token.BITWISE_NOT
	case *ast.CallExpression:
		if _, body := l.small(v); body != nil {
			b, is := body.(*ast.BinaryExpression)
			return 32, is && isBitwise(b.Operator)
		}
	case *ast.BinaryExpression:
		if isBitwise(v.Operator) {
			return 32, true
		}
		a, okA := l.exact(v.Left)
		b, okB := l.exact(v.Right)
		switch v.Operator {
		case token.PLUS, token.MINUS:
			return max(a, b) + 1, okA && okB && max(a, b) < 53
		}
	}
	return 0, false
}

// bits is ToInt32 of an expression.
func (l *lowerer) bits(e ast.Expression) value {
	b, ok := e.(*ast.BinaryExpression)
	if !ok || b.Operator != token.PLUS && b.Operator != token.MINUS {
		if x, is := e.(*ast.BracketExpression); is {
			return l.element(x, true)
		}
		return l.asInt(l.expression(e))
	}
	if _, known := l.fixed(e); known {
		return l.asInt(l.expression(e))
	}
	if _, exact := l.exact(e); !exact {
		return l.asInt(l.expression(e))
	}
	o := opAdd
	if b.Operator == token.MINUS {
		o = opSub
	}
	return l.two(o, b.Left, b.Right, kindInt)
}

// two is an operation on the low bits of two expressions.
func (l *lowerer) two(o op, left, right ast.Expression, k kind) value {
	a := l.kept(l.bits(left), right)
	b := l.bits(right)
	r := l.alloc()
	l.emit(ins{op: o, a: r, b: a.reg, c: b.reg})
	l.joinShifts(o)
	return value{reg: r, kind: k, own: true}
}

// joinShifts makes of x << k | x >>> 32 - k, whose three instructions are the last, one.
func (l *lowerer) joinShifts(o op) {
	n := len(l.out.list)
	if o != opOr && o != opXor && o != opAdd || n < 3 || n-3 < l.label {
		return
	}
	a, b, c := l.out.list[n-3], l.out.list[n-2], l.out.list[n-1]
	if a.op == opShrBy && b.op == opShlBy {
		a, b = b, a
	}
	if a.op != opShlBy || b.op != opShrBy || a.b != b.b || a.imm+b.imm != 32 || a.imm == 0 || b.imm == 0 ||
		l.out.list[n-3].a == a.b ||
		!(c.b == a.a && c.c == b.a || c.b == b.a && c.c == a.a) {
		return
	}
	l.out.list = append(l.out.list[:n-3], ins{op: opRotl, a: c.a, b: a.b, imm: a.imm})
}

// expression evaluates an expression into a register.
func (l *lowerer) expression(e ast.Expression) value {
	if f, ok := l.fixed(e); ok {
		return l.constantValue(f)
	}
	switch v := e.(type) {
	case *ast.Identifier:
		x := l.look(v.Name.String())
		switch {
		case x.array >= 0:
			fail("an array as a value")
		case x.param != nil:
			return *x.param
		}
		return value{reg: x.reg, kind: l.kindOf(x), odd: l.facts.odd[x.key]}
	case *ast.BracketExpression:
		return l.element(v, false)
	case *ast.AssignExpression:
		return l.assignment(v)
	case *ast.UnaryExpression:
		return l.unary(v, true)
	case *ast.BinaryExpression:
		return l.binary(v.Operator, v.Left, v.Right)
	case *ast.ConditionalExpression:
		return l.conditional(v)
	case *ast.SequenceExpression:
		for _, x := range v.Sequence[:len(v.Sequence)-1] {
			l.effect(x)
		}
		return l.expression(v.Sequence[len(v.Sequence)-1])
	case *ast.CallExpression:
		return l.call(v, true)
	}
	fail("expression")
	return value{}
}

// effect evaluates an expression whose value nobody uses.
func (l *lowerer) effect(e ast.Expression) {
	switch v := e.(type) {
	case *ast.UnaryExpression:
		l.unary(v, false)
	case *ast.CallExpression:
		l.call(v, false)
	case *ast.SequenceExpression:
		for _, x := range v.Sequence {
			l.effect(x)
		}
	case *ast.AssignExpression:
		if left, ok := v.Left.(*ast.BracketExpression); ok {
			l.store(v, left, false)
			return
		}
		l.assignment(v)
	default:
		l.expression(e)
	}
}

func (l *lowerer) conditional(v *ast.ConditionalExpression) value {
	r := l.alloc()
	no := l.condition(v.Test, false)
	a := l.asNum(l.expression(v.Consequent))
	l.emit(ins{op: opMove, a: r, b: a.reg})
	end := []int{l.emit(ins{op: opJump})}
	l.here(no)
	b := l.asNum(l.expression(v.Alternate))
	l.emit(ins{op: opMove, a: r, b: b.reg})
	l.here(end)
	return value{reg: r, kind: kindNum, own: true, odd: a.odd || b.odd}
}

func (l *lowerer) unary(v *ast.UnaryExpression, used bool) value {
	switch v.Operator {
	case token.INCREMENT, token.DECREMENT:
		return l.step(v, used)
	case token.BITWISE_NOT:
		b := l.bits(v.Operand)
		r := l.alloc()
		l.emit(ins{op: opNot, a: r, b: b.reg})
		return value{reg: r, kind: kindInt, own: true}
	case token.MINUS:
		b := l.asNum(l.expression(v.Operand))
		r := l.alloc()
		l.emit(ins{op: opNumNeg, a: r, b: b.reg})
		return value{reg: r, kind: kindNum, own: true}
	}
	fail("unary operator")
	return value{}
}

// step is ++ and --.
func (l *lowerer) step(v *ast.UnaryExpression, used bool) value {
	id, ok := v.Operand.(*ast.Identifier)
	if !ok {
		fail("step of an element")
	}
	x := l.writable(id)
	old := value{reg: x.reg, kind: l.kindOf(x)}
	if used && v.Postfix {
		r := l.alloc()
		l.emit(ins{op: opMove, a: r, b: x.reg})
		old = value{reg: r, kind: l.kindOf(x), own: true}
	}
	o := opNumAdd
	if v.Operator == token.DECREMENT {
		o = opNumSub
	}
	before := l.asNum(value{reg: x.reg, kind: l.kindOf(x)})
	l.assigned(x, kindNum, false)
	l.emit(ins{op: o, a: x.reg, b: before.reg, c: l.number(1)})
	if used && !v.Postfix {
		return value{reg: x.reg, kind: kindNum}
	}
	return old
}

var bitwiseOps = map[token.Token]op{
	token.AND: opAnd, token.OR: opOr, token.EXCLUSIVE_OR: opXor, token.SHIFT_LEFT: opShl, token.SHIFT_RIGHT: opSar,
	token.UNSIGNED_SHIFT_RIGHT: opShr,
}

var numOps = map[token.Token]op{
	token.PLUS: opNumAdd, token.MINUS: opNumSub, token.MULTIPLY: opNumMul, token.SLASH: opNumDiv,
	token.REMAINDER: opNumMod,
}

var byOps = map[op]op{opShl: opShlBy, opSar: opSarBy, opShr: opShrBy}

func (l *lowerer) binary(t token.Token, left, right ast.Expression) value {
	if o, ok := bitwiseOps[t]; ok {
		return l.bitwise(o, left, right)
	}
	o, ok := numOps[t]
	if !ok {
		fail("operator")
	}
	a := l.kept(l.asNum(l.expression(left)), right)
	b := l.asNum(l.expression(right))
	r := l.alloc()
	l.emit(ins{op: o, a: r, b: a.reg, c: b.reg})
	return value{reg: r, kind: kindNum, own: true}
}

func (l *lowerer) bitwise(o op, left, right ast.Expression) value {
	k := kindInt
	if o == opShr {
		k = kindUint
	}
	f, known := l.fixed(right)
	by, shift := byOps[o]
	if !known || !shift {
		if known && f == 0 && (o == opOr || o == opXor) { // ToInt32
			v := l.bits(left)
			v.kind = kindInt
			return v
		}
		return l.two(o, left, right, k)
	}
	a := l.bits(left)
	count := int32(uint32(toInt(f)) & 31)
	if count == 0 {
		a.kind = k
		return a
	}
	r := l.alloc()
	l.emit(ins{op: by, a: r, b: a.reg, imm: count})
	return value{reg: r, kind: k, own: true}
}
