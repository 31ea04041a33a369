package kernel

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// writable is the variable that an assignment changes.
func (l *lowerer) writable(id *ast.Identifier) *variable {
	x := l.look(id.Name.String())
	if x.constant || x.array >= 0 || x.param != nil || x.fixed != nil {
		fail("assignment to a constant or an array")
	}
	return x
}

// into moves a value into a variable.
func (l *lowerer) into(x *variable, v value) {
	k := v.kind
	l.assigned(x, k, v.odd)
	if l.kindOf(x) == kindNum {
		v = l.asNum(v)
	}
	if v.reg != x.reg {
		l.emit(ins{op: opMove, a: x.reg, b: v.reg})
	}
}

// assign is x = e.
func (l *lowerer) assign(x *variable, e ast.Expression) {
	if x.constant || x.array >= 0 || x.param != nil || x.fixed != nil {
		fail("assignment to a constant or an array")
	}
	l.into(x, l.expression(e))
}

func (l *lowerer) assignment(v *ast.AssignExpression) value {
	switch left := v.Left.(type) {
	case *ast.Identifier:
		x := l.writable(left)
		switch {
		case v.Operator == token.ASSIGN:
			l.into(x, l.expression(v.Right))
		case v.Operator == token.EXCLUSIVE_OR && l.kindOf(x) != kindNum && !l.impure(v.Right):
			l.xorInto(x, v.Right)
		default:
			l.into(x, l.binary(v.Operator, left, v.Right))
		}
		return value{reg: x.reg, kind: l.kindOf(x), odd: l.facts.odd[x.key]}
	case *ast.BracketExpression:
		return l.store(v, left, true)
	}
	fail("assignment")
	return value{}
}

// xorInto is x ^= e for an int. The last step of ciphers, x ^= rotl(a + b, k), becomes one instruction.
func (l *lowerer) xorInto(x *variable, e ast.Expression) {
	b := l.bits(e)
	l.assigned(x, kindInt, false)
	n := len(l.out.list)
	if n >= 2 && n-2 >= l.label && b.own {
		sum, turn := l.out.list[n-2], l.out.list[n-1]
		if sum.op == opAdd && turn.op == opRotl && turn.a == b.reg && turn.b == sum.a && sum.a != x.reg {
			l.out.list = append(l.out.list[:n-2], ins{op: opXorRotl, a: x.reg, b: sum.b, c: sum.c, imm: turn.imm})
			return
		}
	}
	l.emit(ins{op: opXor, a: x.reg, b: x.reg, c: b.reg})
}

// arrayOf is the array whose element an expression names.
func (l *lowerer) arrayOf(v *ast.BracketExpression) (at uint8, e Element) {
	id, ok := v.Left.(*ast.Identifier)
	if !ok {
		fail("element of an expression")
	}
	x := l.look(id.Name.String())
	if x.array < 0 {
		fail("element of a number")
	}
	return uint8(x.array), l.elements[x.array]
}

// element reads an element: its low bits, or the number that it is.
func (l *lowerer) element(v *ast.BracketExpression, low bool) value {
	at, e := l.arrayOf(v)
	i := l.expression(v.Member)
	if i.odd {
		fail("the index may be undefined")
	}
	word := e == Int32 || e == Uint32
	short := i.kind == kindInt || i.kind == kindLit
	if !(low && word && short) {
		i = l.asNum(i)
	}
	r := l.alloc()
	in := ins{op: opLoadNum, a: r, b: at, c: i.reg, imm: int32(e)}
	switch {
	case low && word && i.kind != kindNum:
		in.op = opLoad32At
	case low && word:
		in.op = opLoad32
	case low && e == Uint8:
		in.op = opLoad8
	case low:
		in.op = opLoadInt
	}
	l.emit(in)
	if low {
		return value{reg: r, kind: kindInt, own: true}
	}
	return value{reg: r, kind: kindNum, own: true, odd: true}
}

// store is a[i] = e and a[i] op= e. Its value is that of e, as it was before it was made an element.
func (l *lowerer) store(v *ast.AssignExpression, left *ast.BracketExpression, used bool) value {
	at, e := l.arrayOf(left)
	i := l.kept(l.expression(left.Member), v.Right)
	if i.odd {
		fail("the index may be undefined")
	}
	word := e == Int32 || e == Uint32
	if !word || i.kind == kindUint {
		i = l.asNum(i)
	}
	var x value
	switch {
	case v.Operator != token.ASSIGN:
		x = l.update(v, at, e, i)
	case e.isFloat():
		x = l.expression(v.Right)
	case used:
		x = l.expression(v.Right)
	default:
		x = l.bits(v.Right)
	}
	in := ins{op: opStoreInt, a: x.reg, b: at, c: i.reg, imm: int32(e)}
	switch {
	case e.isFloat():
		in.op, in.a = opStoreNum, l.asNum(x).reg
	case word && i.kind != kindNum:
		in.op, in.a = opStore32At, l.asInt(x).reg
	case word:
		in.op, in.a = opStore32, l.asInt(x).reg
	default:
		in.a = l.asInt(x).reg
	}
	l.emit(in)
	return x
}

// update is the value that a[i] op= e stores.
func (l *lowerer) update(v *ast.AssignExpression, at uint8, e Element, i value) value {
	n := l.asNum(i)
	old := l.alloc()
	o, low := bitwiseOps[v.Operator]
	if low {
		l.emit(ins{op: opLoadInt, a: old, b: at, c: n.reg, imm: int32(e)})
		x := l.bits(v.Right)
		r := l.alloc()
		l.emit(ins{op: o, a: r, b: old, c: x.reg})
		if o == opShr {
			return value{reg: r, kind: kindUint, own: true}
		}
		return value{reg: r, kind: kindInt, own: true}
	}
	o, ok := numOps[v.Operator]
	if !ok {
		fail("operator")
	}
	l.emit(ins{op: opLoadNum, a: old, b: at, c: n.reg, imm: int32(e)})
	x := l.asNum(l.expression(v.Right))
	r := l.alloc()
	l.emit(ins{op: o, a: r, b: old, c: x.reg})
	return value{reg: r, kind: kindNum, own: true}
}
