package kernel

import (
	"math"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// stored is a value in the form that an element wants, with its type.
func (l *lowerer) stored(a *array, x value) (fragment, rep) {
	switch a.element {
	case Float32:
		return seq(l.double(x).code, op(opDemote)), 0x7d
	case Float64:
		return l.double(x).code, repF64
	case Clamped:
		return l.clamped(x), repI32
	}
	return l.bits(x), repI32
}

// clamped is what an element of a Uint8ClampedArray becomes: the nearest byte, of two the even one, and 0 of NaN.
func (l *lowerer) clamped(x value) fragment {
	if x.plain() && x.fits(0, 255) {
		return l.bits(x)
	}
	return seq(l.double(x).code, constF64(0), op(opF64Max), constF64(255), op(opF64Min, opF64Nearest, opSaturate,
		satU32FromF64))
}

// assignment is = and the like; used tells whether its value is needed. Without it the code is nil where all is done.
func (l *lowerer) assignment(v *ast.AssignExpression, used bool) value {
	switch t := v.Left.(type) {
	case *ast.Identifier:
		name := t.Name.String()
		to := l.look(name)
		return l.put(to, name, v, used)
	case *ast.DotExpression:
		return l.put(l.place(t), t.Identifier.Name.String(), v, used)
	case *ast.BracketExpression:
		return l.store(t, v, used)
	}
	fail("assignment")
	return value{}
}

// put assigns to a variable.
func (l *lowerer) put(to *variable, name string, v *ast.AssignExpression, used bool) value {
	if l.consts[to] {
		fail("an assignment to a constant")
	}
	code := l.apart(func() {
		if v.Operator == token.ASSIGN {
			l.assign(to, l.expression(v.Right))
			return
		}
		old := l.read(to, name)
		x := l.operate(v.Operator, old, l.expression(v.Right))
		if f, known := l.knownStep(v); known {
			x.number = stepped(old.number, x.number, f)
			x = l.restepped(old, x, f)
		}
		l.assign(to, x)
	})
	if !used {
		l.emit(code)
		return value{}
	}
	return after(code, l.read(to, name))
}

// knownStep is the small constant that is added to a variable.
func (l *lowerer) knownStep(v *ast.AssignExpression) (float64, bool) {
	n, ok := v.Right.(*ast.NumberLiteral)
	if !ok || v.Operator != token.PLUS && v.Operator != token.MINUS {
		return 0, false
	}
	f, _ := literal(n)
	if v.Operator == token.MINUS {
		f = -f
	}
	return f, f == math.Trunc(f) && math.Abs(f) <= maxStep
}

// stepped is what is known of a counter after a step: it stays an integer, since no time is enough to leave them.
func stepped(old, now number, step float64) number {
	if !old.plain() || !old.counter {
		return now
	}
	n := number{lo: max(old.lo+step, -maxWhole), hi: min(old.hi+step, maxWhole), whole: true, counter: true}
	return n
}

// counted is a counter and a small constant.
func (l *lowerer) counted(a, b value, known bool, step float64) (value, bool) {
	if !known || !b.pure || !a.plain() || !a.counter || step != math.Trunc(step) || math.Abs(step) > maxStep ||
		addNumbers(a.number, exactly(step)).whole {
		return value{}, false
	}
	x := value{number: stepped(a.number, a.number, step)}
	return l.restepped(a, x, step), true
}

// restepped makes the code of a step again, since the number has become an integer.
func (l *lowerer) restepped(old, x value, step float64) value {
	if !old.plain() || !old.counter {
		return x
	}
	by := constant(step)
	if x.number.rep() == repI32 {
		return value{number: x.number, code: seq(l.bits(old), l.bits(by), op(opI32Add))}
	}
	return value{number: x.number, code: seq(l.long(old), constI64(int64(step)), op(opI64Add)),
		low: seq(l.bits(old), l.bits(by), op(opI32Add))}
}

// step is ++ and --.
func (l *lowerer) step(v *ast.UnaryExpression, used bool) value {
	by := 1.0
	if v.Operator == token.DECREMENT {
		by = -1
	}
	change := func(old value) value {
		x := l.operate(token.PLUS, old, constant(by))
		x.number = stepped(old.number, x.number, by)
		return l.restepped(old, x, by)
	}
	if b, ok := v.Operand.(*ast.BracketExpression); ok {
		return l.modify(b, used, v.Postfix, change)
	}
	name, to := "", (*variable)(nil)
	switch t := v.Operand.(type) {
	case *ast.Identifier:
		name = t.Name.String()
		to = l.look(name)
	case *ast.DotExpression:
		name = t.Identifier.Name.String()
		to = l.place(t)
	}
	if l.consts[to] {
		fail("an assignment to a constant")
	}
	old := l.numeric(l.read(to, name))
	if !used || !v.Postfix {
		code := l.apart(func() { l.assign(to, change(old)) })
		return after(code, l.read(to, name))
	}
	was := l.hidden(v, "was")
	code := l.apart(func() {
		l.assign(was, old)
		l.assign(to, change(l.read(was, name)))
	})
	return l.passing(code, was)
}

// store assigns to an element. A write past the end is nothing.
func (l *lowerer) store(t *ast.BracketExpression, v *ast.AssignExpression, used bool) value {
	if v.Operator != token.ASSIGN {
		return l.modify(t, used, false, func(old value) value {
			return l.operate(v.Operator, old, l.expression(v.Right))
		})
	}
	a := l.arrayOf(t.Left)
	index, code, there := l.index(a, l.expression(t.Member))
	x := l.expression(v.Right)
	return l.finish(a, t, index, code, there, x, used)
}

// modify reads an element, changes it and writes it.
func (l *lowerer) modify(t *ast.BracketExpression, used, postfix bool, change func(old value) value) value {
	a := l.arrayOf(t.Left)
	index, code, there := l.index(a, l.expression(t.Member))
	// The element is read by the number that the local has, whose condition is evaluated again.
	old := a.load(index)
	if there != nil {
		low := seq(there, op(opIf, byte(repI32)), l.bits(old), op(opElse), constI32(0), op(opEnd))
		n := old.number
		n.odd = true
		if n.whole {
			old = value{number: n, low: low, code: seq(there, op(opIf, byte(repI64)), l.long(old), op(opElse),
				constI64(oddValue), op(opEnd))}
		} else {
			old = value{number: n, low: low, any: seq(there, op(opIf, byte(repF64)), old.code, op(opElse),
				constF64(math.NaN()), op(opEnd))}
			old.code = old.any // a change never keeps undefined
		}
	}
	if used && postfix {
		was := l.hidden(t, "was")
		before := l.apart(func() {
			l.emit(code)
			l.assign(was, l.numeric(old))
			l.emitStore(a, t, index, nil, there, change(l.read(was, "an element")))
		})
		return l.passing(before, was)
	}
	return l.finish(a, t, index, code, there, change(old), used)
}

// emitStore stores at once.
func (l *lowerer) emitStore(a *array, t any, index int, code, there fragment, x value) {
	l.scalar(x)
	l.effects++
	if a.list {
		if a.element == Int32 && !(x.plain() && x.fits(minInt32, maxInt32)) {
			l.version.narrow = true
		}
		if there != nil || a.odd || x.odd || x.boolean || l.version.narrow {
			fail("a store that may change what an array is")
		}
		if l.version.written == nil {
			l.version.written = map[int]bool{}
		}
		l.version.written[a.input] = true
	}
	form, r := l.stored(a, x)
	if there == nil {
		l.emit(code, a.write(index, form))
		return
	}
	tmp := l.local(r)
	l.emit(code, form, set(tmp), there, op(opIf, typeVoid), a.write(index, get(tmp)), op(opEnd))
}

// finish stores a value, and gives it where it is used.
func (l *lowerer) finish(a *array, t any, index int, code, there fragment, x value, used bool) value {
	if !used {
		l.emitStore(a, t, index, code, there, x)
		return value{}
	}
	r := l.hidden(t, "stored")
	before := l.apart(func() {
		l.emit(code)
		l.assign(r, x)
		l.emitStore(a, t, index, nil, there, l.read(r, "a value"))
	})
	return l.passing(before, r)
}
