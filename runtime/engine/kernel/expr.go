package kernel

import (
	"math"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// expression evaluates an expression.
func (l *lowerer) expression(e ast.Expression) value {
	switch v := e.(type) {
	case *ast.NumberLiteral:
		f, _ := literal(v)
		return constant(f)
	case *ast.BooleanLiteral:
		return truth(v.Value)
	case *ast.Identifier:
		return l.identifier(v.Name.String())
	case *ast.ThisExpression:
		if x := l.frame().this; !x.scalar() {
			return x
		}
		fail("this")
	case *ast.BracketExpression:
		return l.element(v)
	case *ast.DotExpression:
		return l.dot(v)
	case *ast.AssignExpression:
		return l.assignment(v, true)
	case *ast.UnaryExpression:
		return l.unary(v, true)
	case *ast.BinaryExpression:
		switch v.Operator {
		case token.LOGICAL_AND, token.LOGICAL_OR:
			return l.logical(v, false)
		}
		if _, compares := comparisons[v.Operator]; compares {
			return l.condition(v)
		}
		a := l.expression(v.Left)
		b := l.expression(v.Right)
		return l.operate(v.Operator, a, b)
	case *ast.ConditionalExpression:
		return l.conditional(v)
	case *ast.SequenceExpression:
		code := l.apart(func() {
			for _, x := range v.Sequence[:len(v.Sequence)-1] {
				l.effect(x)
			}
		})
		return after(code, l.expression(v.Sequence[len(v.Sequence)-1]))
	case *ast.CallExpression:
		return l.call(v)
	}
	fail("expression %T", e)
	return value{}
}

func truth(b bool) value {
	n, c := number{boolean: true}, int32(0)
	if b {
		n.lo, n.hi, c = 1, 1, 1
	}
	return value{number: n, code: constI32(c), pure: true}
}

func (l *lowerer) identifier(name string) value {
	f := l.frame()
	known := l.plan.free[f.fn][name] != nil
	for _, names := range f.names {
		known = known || names[name] != nil
	}
	if !known {
		switch name {
		case "undefined":
			return undefinedValue()
		case "NaN":
			return constant(math.NaN())
		case "Infinity":
			return constant(math.Inf(1))
		}
	}
	return l.read(l.look(name), name)
}

// effect evaluates an expression whose value nobody uses.
func (l *lowerer) effect(e ast.Expression) {
	switch v := e.(type) {
	case *ast.UnaryExpression:
		if x := l.unary(v, false); x.code != nil {
			l.drop(x)
		}
	case *ast.SequenceExpression:
		for _, x := range v.Sequence {
			l.effect(x)
		}
	case *ast.AssignExpression:
		if p, ok := v.Left.(*ast.ObjectPattern); ok {
			l.take(p, v.Right)
			return
		}
		if x := l.assignment(v, false); x.code != nil {
			l.drop(x)
		}
	default:
		l.drop(l.expression(e))
	}
}

func (l *lowerer) unary(v *ast.UnaryExpression, used bool) value {
	switch v.Operator {
	case token.INCREMENT, token.DECREMENT:
		return l.step(v, used)
	case token.BITWISE_NOT:
		return l.operate(token.EXCLUSIVE_OR, l.expression(v.Operand), constant(-1))
	case token.VOID:
		return after(l.apart(func() { l.effect(v.Operand) }), undefinedValue())
	case token.NOT:
		c := l.condition(v.Operand)
		if f, known := c.settled(); known {
			return after(seq(c.code, op(opDrop)), truth(f == 0))
		}
		return value{number: anyBoolean, code: seq(c.code, op(opI32Eqz))}
	}
	x := l.numeric(l.expression(v.Operand))
	if v.Operator == token.PLUS {
		return x
	}
	if f, known := x.known(); known && x.pure {
		return constant(-f)
	}
	n := negative(x.number)
	low := seq(constI32(0), l.bits(x), op(opI32Sub))
	switch n.rep() {
	case repI32:
		return value{number: n, code: low}
	case repI64:
		return value{number: n, code: seq(constI64(0), l.long(x), op(opI64Sub)), low: low}
	}
	return value{number: n, code: seq(l.double(x).code, op(opF64Neg)), low: low}
}

// numeric is ToNumber of a value: a boolean is an int, and undefined is NaN.
func (l *lowerer) numeric(x value) value {
	l.scalar(x)
	if x.boolean {
		x.number = x.asNumber()
		return x
	}
	if x.odd {
		return l.double(x)
	}
	return x
}

func (n number) settled() (float64, bool) { return n.lo, n.boolean && n.lo == n.hi }

// operate is a binary operator on two values, whose code runs in this order.
func (l *lowerer) operate(t token.Token, a, b value) value {
	l.scalar(a)
	l.scalar(b)
	fa, knownA := a.known()
	fb, knownB := b.known()
	if knownA && knownB && a.pure && b.pure {
		if x, ok := fold(t, fa, fb); ok {
			return constant(x)
		}
	}
	switch t {
	case token.AND, token.OR, token.EXCLUSIVE_OR, token.SHIFT_LEFT, token.SHIFT_RIGHT, token.UNSIGNED_SHIFT_RIGHT:
		return l.bitwise(t, a, b)
	}
	a, b = l.numeric(a), l.numeric(b)
	switch t {
	case token.PLUS:
		if x, ok := l.counted(a, b, knownB, fb); ok {
			return x
		}
		return l.sum(a, b, addNumbers(a.number, b.number), opI32Add, opI64Add, opF64Add)
	case token.MINUS:
		if x, ok := l.counted(a, b, knownB, -fb); ok {
			return x
		}
		minus := number{lo: -b.hi, hi: -b.lo, whole: b.whole, nan: b.nan}
		return l.sum(a, b, addNumbers(a.number, minus), opI32Sub, opI64Sub, opF64Sub)
	case token.MULTIPLY:
		n := multiplied(a.number, b.number)
		x := l.sum(a, b, n, opI32Mul, opI64Mul, opF64Mul)
		if a.plain() && b.plain() && n.finite(maxWhole-1) {
			x.low = seq(l.bits(a), l.bits(b), op(opI32Mul)) // exact, and -0 is 0 there
		}
		return x
	case token.SLASH:
		return l.quotient(a, b)
	case token.REMAINDER:
		return l.remainder(a, b)
	}
	fail("operator %v", t)
	return value{}
}

// fold is an operator on two constants.
func fold(t token.Token, a, b float64) (float64, bool) {
	switch t {
	case token.PLUS:
		return a + b, true
	case token.MINUS:
		return a - b, true
	case token.MULTIPLY:
		return a * b, true
	case token.SLASH:
		return a / b, true
	case token.EXPONENT:
		if a == 2 && b >= 0 && b <= 1023 {
			return math.Ldexp(1, int(b)), true
		}
	case token.AND:
		return float64(toInt32(a) & toInt32(b)), true
	case token.OR:
		return float64(toInt32(a) | toInt32(b)), true
	case token.EXCLUSIVE_OR:
		return float64(toInt32(a) ^ toInt32(b)), true
	case token.SHIFT_LEFT:
		return float64(toInt32(a) << (uint32(toInt32(b)) & 31)), true
	case token.SHIFT_RIGHT:
		return float64(toInt32(a) >> (uint32(toInt32(b)) & 31)), true
	case token.UNSIGNED_SHIFT_RIGHT:
		return float64(uint32(toInt32(a)) >> (uint32(toInt32(b)) & 31)), true
	}
	return 0, false
}

// sum is an operation whose low bits come from the operands' low bits.
func (l *lowerer) sum(a, b value, n number, in32, in64, inDouble byte) value {
	whole := a.plain() && b.plain() && n.whole
	if !whole {
		n.whole = false
		return value{number: n, code: seq(l.double(a).code, l.double(b).code, op(inDouble))}
	}
	low := seq(l.bits(a), l.bits(b), op(in32))
	if n.rep() == repI32 {
		return value{number: n, code: low}
	}
	return value{number: n, code: seq(l.long(a), l.long(b), op(in64)), low: low}
}

func (l *lowerer) quotient(a, b value) value {
	n := number{lo: math.Inf(-1), hi: math.Inf(1), nan: true}
	fb, known := b.known()
	if known && fb != 0 && !a.empty() {
		lo, hi := a.lo/fb, a.hi/fb
		n = number{lo: min(lo, hi), hi: max(lo, hi), nan: a.nan || math.IsInf(lo, 0) || math.IsInf(hi, 0)}
	}
	x := value{number: n, code: seq(l.double(a).code, l.double(b).code, op(opF64Div))}
	if known && a.plain() && b.pure && fb >= 1 && fb < 1<<53 && fb == math.Trunc(fb) && a.finite(maxWhole) {
		if frac, _ := math.Frexp(fb); frac == 0.5 { // a power of two: the quotient is exact
			x.low = seq(l.long(a), constI64(int64(fb)), op(opI64DivS, opWrap))
		}
	}
	return x
}

func (l *lowerer) remainder(a, b value) value {
	if !a.plain() || !b.plain() {
		n := number{lo: min(a.lo, 0), hi: max(a.hi, 0), nan: true}
		if a.empty() {
			n.lo, n.hi = 0, 0
		}
		return value{number: n, code: seq(l.double(a).code, l.double(b).code, opN(opCall, functionRemainder))}
	}
	top := max(math.Abs(b.lo), math.Abs(b.hi)) - 1
	fb, known := b.known()
	if a.lo >= 0 && b.lo > 0 {
		n := within(0, min(a.hi, max(top, 0)))
		if known && b.pure && a.hi < fb {
			return a
		}
		if a.fits(0, maxUint32) && b.fits(0, maxUint32) {
			return value{number: n, code: seq(l.bits(a), l.bits(b), op(opI32RemU))}
		}
		return value{number: n, code: seq(l.long(a), l.long(b), op(opI64RemU), narrowed(n))}
	}
	// The sign is that of the dividend, also of a zero; a divisor of 0 gives NaN.
	x, y := l.local(repI64), l.local(repI64)
	code := seq(l.long(a), set(x), l.long(b), set(y))
	lo, hi := min(0, max(a.lo, -top)), max(0, min(a.hi, top))
	n := number{lo: lo, hi: hi, nan: b.lo <= 0 && b.hi >= 0}
	rest := seq(get(x), get(y), op(opI64RemS))
	if n.nan {
		return value{number: n, code: seq(code, get(y), op(opI64Eqz, opIf, byte(repF64)), constF64(math.NaN()),
			op(opElse), rest, op(opF64FromI64), get(x), op(opF64FromI64, opCopySign, opEnd))}
	}
	return value{number: n, code: seq(code, rest, op(opF64FromI64), get(x), op(opF64FromI64, opCopySign)),
		low: seq(code, rest, op(opWrap))}
}

// narrowed brings an int64 into the representation of a smaller number.
func narrowed(n number) fragment {
	if n.rep() == repI32 {
		return op(opWrap)
	}
	return nil
}

func (l *lowerer) conditional(v *ast.ConditionalExpression) value {
	c := l.condition(v.Test)
	if f, known := c.settled(); known {
		branch := v.Consequent
		if f == 0 {
			branch = v.Alternate
		}
		x := l.expression(branch)
		if c.pure {
			return x
		}
		return after(seq(c.code, op(opDrop)), x)
	}
	r := l.hidden(v, "conditional")
	code := l.apart(func() {
		l.emit(c.code)
		end := l.meet(v, 0, r)
		before := l.copyEnv()
		l.open(opIf, typeVoid)
		l.refine(v.Test, true)
		l.assign(r, l.expression(v.Consequent))
		l.edge(end)
		l.env = before
		l.out = append(l.out, opElse)
		l.refine(v.Test, false)
		l.assign(r, l.expression(v.Alternate))
		l.edge(end)
		l.close()
		l.land(end)
		l.unreachable()
	})
	return l.passing(code, r)
}

// passing is the value of a hidden variable that nobody reads again.
func (l *lowerer) passing(code fragment, v *variable) value {
	x := l.read(v, "an operand")
	if x.fields == nil {
		delete(l.env, v)
	}
	return after(code, x)
}

// logical is && and ||, whose value is one of the operands, or only its truth.
func (l *lowerer) logical(v *ast.BinaryExpression, truth bool) value {
	operand := l.expression
	if truth {
		operand = l.condition
	}
	r := l.hidden(v, "logical")
	code := l.apart(func() {
		l.assign(r, operand(v.Left))
		if l.env == nil {
			return
		}
		c := l.truthOf(l.read(r, "an operand"))
		l.emit(c.code)
		if v.Operator == token.LOGICAL_OR {
			l.emit(op(opI32Eqz))
		}
		end := l.meet(v, 0, r)
		before := l.copyEnv()
		l.open(opIf, typeVoid)
		l.refine(v.Left, v.Operator == token.LOGICAL_AND)
		l.assign(r, operand(v.Right))
		l.edge(end)
		l.env = before
		l.out = append(l.out, opElse)
		l.edge(end)
		l.close()
		l.land(end)
		l.unreachable()
	})
	return l.passing(code, r)
}
