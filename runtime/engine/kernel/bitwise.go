package kernel

import (
	"math"

	"github.com/dop251/goja/token"
)

var bitwiseOps = map[token.Token]byte{
	token.AND: opI32And, token.OR: opI32Or, token.EXCLUSIVE_OR: opI32Xor, token.SHIFT_LEFT: opI32Shl,
	token.SHIFT_RIGHT: opI32ShrS, token.UNSIGNED_SHIFT_RIGHT: opI32ShrU,
}

func (l *lowerer) bitwise(t token.Token, a, b value) value {
	n := within(minInt32, maxInt32)
	fb, knownB := b.known()
	fa, knownA := a.known()
	nonNegative := func(x value) bool { return x.plain() && x.fits(0, maxInt32) }
	count := float64(uint32(toInt32(fb)) & 31)
	switch {
	case t == token.AND && (nonNegative(a) || nonNegative(b)):
		n = within(0, maxInt32)
		if nonNegative(a) {
			n.hi = a.hi
		}
		if nonNegative(b) {
			n.hi = min(n.hi, b.hi)
		}
	case (t == token.OR || t == token.EXCLUSIVE_OR) && nonNegative(a) && nonNegative(b):
		n = within(0, bitsBelow(max(a.hi, b.hi)))
		if t == token.OR {
			n.lo = max(a.lo, b.lo)
		}
	case t == token.SHIFT_RIGHT && knownB:
		n = within(math.Floor(minInt32/math.Exp2(count)), math.Floor(maxInt32/math.Exp2(count)))
		if a.plain() && a.fits(minInt32, maxInt32) {
			n = within(math.Floor(a.lo/math.Exp2(count)), math.Floor(a.hi/math.Exp2(count)))
		}
	case t == token.SHIFT_LEFT && knownB && nonNegative(a) && a.hi*math.Exp2(count) <= maxInt32:
		n = within(a.lo*math.Exp2(count), a.hi*math.Exp2(count))
	case t == token.UNSIGNED_SHIFT_RIGHT:
		n = within(0, maxUint32)
		if knownB {
			n = within(0, math.Floor(maxUint32/math.Exp2(count)))
			if a.plain() && a.fits(0, maxUint32) {
				n = within(math.Floor(a.lo/math.Exp2(count)), math.Floor(a.hi/math.Exp2(count)))
			}
		}
	}
	if t == token.OR || t == token.EXCLUSIVE_OR || knownB && count == 0 && t != token.AND {
		if knownB && toInt32(fb) == 0 && b.pure {
			return ranged(a, l.bits(a), t, n)
		}
		if knownA && toInt32(fa) == 0 && a.pure && (t == token.OR || t == token.EXCLUSIVE_OR) {
			return ranged(b, l.bits(b), t, n)
		}
	}
	return value{number: n, code: seq(l.bits(a), l.bits(b), op(bitwiseOps[t]))}
}

// ranged is x | 0, whose range is that of an int32 before.
func ranged(x value, bits fragment, t token.Token, n number) value {
	if x.plain() && (t != token.UNSIGNED_SHIFT_RIGHT && x.fits(minInt32, maxInt32) ||
		t == token.UNSIGNED_SHIFT_RIGHT && x.fits(0, maxUint32)) {
		n = within(x.lo, x.hi)
	}
	return value{number: n, code: bits}
}

// bitsBelow is the largest number with as many bits.
func bitsBelow(f float64) float64 {
	_, e := math.Frexp(f)
	return math.Ldexp(1, e) - 1
}
