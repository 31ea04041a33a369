package kernel

import "math"

// number is what is known of a value: a number between lo and hi, and what else it may be.
type number struct {
	lo, hi  float64
	whole   bool // an integer of at most 2^53, neither -0 nor NaN
	nan     bool // it may be NaN; never if whole
	odd     bool // it may be undefined too
	boolean bool // it is a boolean and no number
	counter bool // it was an int32, and steps of at most maxStep were added: time ends before it leaves the integers
}

// rep is how a value is kept: as a WebAssembly type.
type rep byte

const (
	repI32 rep = 0x7f // an int32 or uint32, or a boolean
	repI64 rep = 0x7e // an integer, or undefined as oddValue
	repF64 rep = 0x7c // undefined as oddDouble, where it may be
)

const (
	maxInt32, minInt32, maxUint32 = 1<<31 - 1, -1 << 31, 1<<32 - 1
	maxWhole                      = 1 << 53
	maxStep                       = 256

	// oddValue is undefined among integers. Its low 32 bits are what undefined is as an int32.
	oddValue = 1 << 62
	// oddDouble has the bits of undefined among doubles. No other NaN that may be undefined has them: what becomes
	// such a value is made the language's NaN first.
	oddDouble = 0x7ffc_6b65_726e_656c
)

var (
	anyNumber  = number{lo: math.Inf(-1), hi: math.Inf(1), nan: true}
	anyInt     = number{lo: minInt32, hi: maxInt32, whole: true, counter: true}
	anyWhole   = number{lo: -maxWhole, hi: maxWhole, whole: true}
	anyBoolean = number{lo: 0, hi: 1, boolean: true}
	undefined  = number{lo: math.Inf(1), hi: math.Inf(-1), whole: true, odd: true, counter: true}
)

func exactly(f float64) number {
	whole := f == math.Trunc(f) && math.Abs(f) <= maxWhole && !(f == 0 && math.Signbit(f))
	if f != f {
		return number{nan: true, lo: math.Inf(1), hi: math.Inf(-1)}
	}
	return number{lo: f, hi: f, whole: whole, counter: whole && math.Abs(f) <= maxUint32}
}

// within is an integer of a range; beyond 2^53 it is any double of the range.
func within(lo, hi float64) number {
	whole := lo >= -maxWhole && hi <= maxWhole
	return number{lo: lo, hi: hi, whole: whole, counter: whole && lo >= minInt32 && hi <= maxUint32}
}

func (n number) fits(lo, hi float64) bool { return n.lo >= lo && n.hi <= hi }

func (n number) rep() rep {
	switch {
	case n.boolean:
		return repI32
	case !n.whole:
		return repF64
	case n.odd:
		return repI64
	case n.fits(minInt32, maxInt32), n.fits(0, maxUint32):
		return repI32
	}
	return repI64
}

// known is the value if there is only one.
func (n number) known() (float64, bool) {
	return n.lo, n.whole && !n.odd && n.lo == n.hi
}

// empty tells that it is no number at all, only undefined or NaN.
func (n number) empty() bool { return n.lo > n.hi }

// plain tells that it is an integer for sure.
func (n number) plain() bool { return n.whole && !n.odd && !n.boolean }

// join is what is known of a value that is one of two; ok is false for a boolean and a number.
func join(a, b number) (n number, ok bool) {
	if a.boolean != b.boolean {
		return n, false
	}
	n = number{lo: min(a.lo, b.lo), hi: max(a.hi, b.hi), whole: a.whole && b.whole, nan: a.nan || b.nan,
		odd: a.odd || b.odd, boolean: a.boolean, counter: a.counter && b.counter}
	return n, true
}

// steps are the ranges that a value grows to which does not settle.
var steps = []float64{0, maxInt32, maxWhole}

// widen is a range around n that stops growing soon.
func (n number) widen() number {
	lo, hi := math.Inf(-1), math.Inf(1)
	for i := len(steps) - 1; i >= 0; i-- {
		if n.hi <= steps[i] {
			hi = steps[i]
		}
		if n.lo >= -steps[i] {
			lo = 0 - steps[i] // never -0
		}
	}
	if n.lo >= minInt32 && n.lo < 0 {
		lo = minInt32
	}
	if n.hi == maxUint32 && lo == 0 { // what >>> gives
		hi = maxUint32
	}
	n.lo, n.hi = lo, hi
	n.whole = n.whole && lo >= -maxWhole && hi <= maxWhole
	return n
}

// sane gives an infinity where a bound is no number, which infinities make.
func sane(lo, hi float64) (float64, float64) {
	if lo != lo {
		lo = math.Inf(-1)
	}
	if hi != hi {
		hi = math.Inf(1)
	}
	return lo, hi
}

// asNumber is ToNumber: undefined is NaN, and a boolean 0 or 1.
func (n number) asNumber() number {
	if n.boolean {
		return within(0, 1)
	}
	if n.odd {
		n.odd, n.nan, n.whole, n.counter = false, true, false, false
	}
	return n
}

// finite tells that a double has no larger magnitude than f, and is not infinite.
func (n number) finite(f float64) bool { return n.empty() || n.lo >= -f && n.hi <= f }

// computed is an integer of a range that was computed with doubles: a bound of 2^53 may have been rounded to it.
func computed(lo, hi float64) number {
	n := within(lo, hi)
	if lo <= -maxWhole || hi >= maxWhole {
		n.whole, n.counter = false, false
	}
	return n
}

func addNumbers(a, b number) number {
	lo, hi := sane(a.lo+b.lo, a.hi+b.hi)
	if a.empty() || b.empty() {
		return exactly(math.NaN())
	}
	if a.plain() && b.plain() {
		return computed(lo, hi)
	}
	return number{lo: lo, hi: hi, nan: a.nan || b.nan || math.IsInf(lo, 0) || math.IsInf(hi, 0)}
}

func negative(n number) number {
	lo, hi := -n.hi, -n.lo
	if n.plain() && (n.lo > 0 || n.hi < 0) {
		return within(lo, hi)
	}
	return number{lo: lo, hi: hi, nan: n.nan}
}

func multiplied(a, b number) number {
	if a.empty() || b.empty() {
		return exactly(math.NaN())
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range []float64{a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi} {
		if p != p {
			return anyNumber
		}
		lo, hi = min(lo, p), max(hi, p)
	}
	noMinus := a.lo >= 0 && b.lo >= 0 || a.lo > 0 || b.lo > 0 || a.hi < 0 && b.hi < 0
	if a.plain() && b.plain() && noMinus {
		return computed(lo, hi)
	}
	return number{lo: lo, hi: hi, nan: a.nan || b.nan || !a.finite(math.MaxFloat64) || !b.finite(math.MaxFloat64)}
}
