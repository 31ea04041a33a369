package gojainternals

import (
	"math"
	"unsafe"

	"github.com/dop251/goja"
)

// A typed array of goja reads and writes its elements through an interface whose methods are unexported, so that no
// type of ours can implement it. The element type of Float16Array is therefore a copy of the method table of
// uint16Array in which the methods that interpret an element are ours; the store, its bounds and all algorithms stay
// goja's. A Proxy would be the alternative; every method of %TypedArray% and every Go function that takes a view would
// refuse it.

// ToFloat16 rounds to IEEE 754 binary16, ties to even, directly from binary64: no double rounding.
func ToFloat16(f float64) uint16 {
	bits := math.Float64bits(f)
	sign := uint16(bits >> 48 & 0x8000)
	a := math.Abs(f)
	switch {
	case math.IsNaN(f):
		return 0x7e00
	case a >= 65520:
		return sign | 0x7c00
	case a < math.Ldexp(1, -14): // subnormal: multiples of 2^-24
		return sign | uint16(math.RoundToEven(math.Ldexp(a, 24)))
	}
	_, exp := math.Frexp(a) // a = m × 2^exp with m in [0.5, 1)
	m := math.RoundToEven(math.Ldexp(a, 11-exp))
	if m == 2048 {
		m, exp = 1024, exp+1
	}
	return sign | uint16(exp+14)<<10 | uint16(m)&0x3ff
}

// FromFloat16 is the number that a binary16 stands for.
func FromFloat16(h uint16) float64 {
	sign := 1.0
	if h&0x8000 != 0 {
		sign = -1
	}
	exp, frac := int(h>>10&0x1f), float64(h&0x3ff)
	switch exp {
	case 0:
		return math.Copysign(math.Ldexp(frac, -24), sign)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return math.Copysign(math.Ldexp(1024+frac, exp-25), sign)
}

// numbers makes number values: ToValue uses nothing of the runtime for them.
var numbers goja.Runtime

func half(a *[]byte, i int) *uint16 {
	return (*uint16)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(*a)), i*2))
}

func halfGet(a *[]byte, i int) goja.Value    { return numbers.ToValue(FromFloat16(*half(a, i))) }
func halfSet(a *[]byte, i int, v goja.Value) { h := ToFloat16(v.ToFloat()); *half(a, i) = h }
func halfToRaw(_ *[]byte, v goja.Value) uint64 {
	return uint64(ToFloat16(v.ToFloat()))
}

// halfGetRaw serves searches only, to which both zeros are the same, and all NaN.
func halfGetRaw(a *[]byte, i int) uint64 {
	switch h := *half(a, i); {
	case h == 0x8000:
		return 0
	case h&0x7fff > 0x7c00:
		return 0x7e00
	default:
		return uint64(h)
	}
}

func halfSetRaw(a *[]byte, i int, raw uint64) { *half(a, i) = uint16(raw) }

// halfMatch tells whether an element can equal v: a number that half precision holds exactly.
func halfMatch(_ *[]byte, v goja.Value) bool {
	if !goja.IsNumber(v) {
		return false
	}
	f := v.ToFloat()
	return f != f || FromFloat16(ToFloat16(f)) == f
}

func halfLess(a *[]byte, i, j int) bool {
	x, y := FromFloat16(*half(a, i)), FromFloat16(*half(a, j))
	switch {
	case y != y:
		return x == x
	case x == 0 && y == 0:
		return math.Signbit(x) && !math.Signbit(y)
	}
	return x < y
}

func (l *Layout) readHalf(r *reader) {
	store := *(*unsafe.Pointer)(unsafe.Add(l.data(r.object("new Uint16Array(2)")), l.views.store))
	l.half, r.err = methodTable(l.views.storeType, l.views.storeOfProbe, store, map[string]any{
		"get": halfGet, "set": halfSet, "toRaw": halfToRaw, "getRaw": halfGetRaw, "setRaw": halfSetRaw,
		"typeMatch": halfMatch,
		"less":      halfLess,
	})
}

// BecomeFloat16 turns a new Uint16Array into a Float16Array, whose constructor is ctor.
func (l *Layout) BecomeFloat16(o, ctor *goja.Object) {
	p := l.data(o)
	*(*unsafe.Pointer)(unsafe.Add(p, l.views.store)) = unsafe.Pointer(&l.half[0])
	*(**goja.Object)(unsafe.Add(p, l.views.constructor)) = ctor
}
