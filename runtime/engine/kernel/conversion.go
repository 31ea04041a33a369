package kernel

import "math"

// toInt32 is the standard's.
func toInt32(f float64) int32 {
	if f != f || math.IsInf(f, 0) {
		return 0
	}
	return int32(uint32(int64(math.Mod(math.Trunc(f), 1<<32))))
}

// conversion changes the representation of what is on the stack.
func conversion(n number, to rep) fragment {
	from := n.rep()
	switch {
	case from == to:
		return nil
	case from == repI32 && to == repI64:
		if n.hi > maxInt32 {
			return op(opExtendU)
		}
		return op(opExtendS)
	case from == repI32 && to == repF64:
		if n.hi > maxInt32 {
			return op(opF64FromU32)
		}
		return op(opF64FromI32)
	case from == repI64 && to == repF64:
		return op(opF64FromI64) // the caller sees to undefined
	}
	fail("conversion of %v to %x", n, to)
	return nil
}

// double is a value as a double; undefined is NaN.
func (l *lowerer) double(x value) value {
	l.scalar(x)
	n := x.asNumber()
	if x.number.rep() == repI64 && x.odd {
		t := l.local(repI64)
		code := seq(x.code, tee(t), op(opF64FromI64), constF64(math.NaN()), get(t), constI64(oddValue),
			op(0x52, opSelect)) // i64.ne
		return value{number: n, code: code, low: x.low}
	}
	if x.rep() == repF64 {
		if x.any != nil {
			x.code = x.any
		}
		return value{number: n, code: x.code, low: x.low}
	}
	low := x.low
	if low == nil && x.rep() == repI32 {
		low = x.code
	}
	n.whole, n.boolean = n.whole && !n.boolean, false
	return value{number: n, code: seq(x.code, conversion(x.number, repF64)), low: low}
}

// loose is a value as a double that may be undefined.
func (l *lowerer) loose(x value) value {
	l.scalar(x)
	n := x.number
	n.whole, n.counter = false, false
	switch {
	case x.rep() == repF64 && x.odd || x.rep() == repF64 && !x.nan:
		return value{number: n, code: x.code, low: x.low}
	case x.rep() == repF64:
		return value{number: n, code: seq(x.code, l.canonical()), low: x.low}
	case x.odd && x.empty():
		return value{number: n, code: constF64(math.Float64frombits(oddDouble)), low: constI32(0)}
	case x.odd:
		t := l.local(repI64)
		return value{number: n, low: x.low, code: seq(x.code, tee(t), op(opF64FromI64),
			constF64(math.Float64frombits(oddDouble)), get(t), constI64(oddValue), op(0x52, opSelect))} // i64.ne
	}
	return l.double(x)
}

// canonical makes the language's NaN of every NaN on the stack.
func (l *lowerer) canonical() fragment {
	t := l.local(repF64)
	return seq(tee(t), constF64(math.NaN()), get(t), get(t), op(opF64Eq, opSelect))
}

// isUndefined tells whether a double that may be undefined is.
func isUndefined() fragment {
	return seq(op(opBytesOfF64), constI64(oddDouble), op(opI64Eq))
}

// long is a value, which must be an integer, as an int64.
func (l *lowerer) long(x value) fragment {
	return seq(x.code, conversion(x.number, repI64))
}

// bits is ToInt32 of a value.
func (l *lowerer) bits(x value) fragment {
	l.scalar(x)
	switch {
	case x.low != nil:
		return x.low
	case x.rep() == repI32:
		return x.code
	case x.rep() == repI64:
		return seq(x.code, op(opWrap))
	case x.finite(1 << 62):
		return seq(x.code, op(opSaturate, satI64FromF64, opWrap))
	}
	return seq(x.code, opN(opCall, functionToInt))
}
