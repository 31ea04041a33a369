package kernel

import (
	"maps"
	"math"
	"slices"

	"github.com/dop251/goja/ast"
)

// mathArguments are the functions of Math that kernels know, with the number of arguments that they must have.
var mathArguments = map[string]int{
	"imul": 2, "abs": 1, "floor": 1, "ceil": 1, "trunc": 1, "sqrt": 1, "min": 2, "max": 2, "fround": 1, "clz32": 1,
}

// math is a call of a function of Math.
func (l *lowerer) math(name string, args []ast.Expression) value {
	a := l.expression(args[0])
	var b value
	if len(args) > 1 {
		b = l.expression(args[1])
		b = l.numeric(b)
	}
	a = l.numeric(a)
	double := func(n number, code byte) value {
		n.whole = false
		parts := seq(l.double(a).code)
		if len(args) > 1 {
			parts = seq(parts, l.double(b).code)
		}
		return value{number: n, code: append(parts, code)}
	}
	switch name {
	case "imul":
		return value{number: within(minInt32, maxInt32), code: seq(l.bits(a), l.bits(b), op(opI32Mul))}
	case "clz32":
		return value{number: within(0, 32), code: seq(l.bits(a), op(opI32Clz))}
	case "floor", "ceil", "trunc":
		if a.plain() {
			return a
		}
		code := map[string]byte{"floor": opF64Floor, "ceil": opF64Ceil, "trunc": opF64Trunc}[name]
		return double(number{lo: math.Floor(a.lo), hi: math.Ceil(a.hi), nan: a.nan}, code)
	case "abs":
		return double(number{lo: 0, hi: max(math.Abs(a.lo), math.Abs(a.hi)), nan: a.nan}, opF64Abs)
	case "sqrt":
		return double(anyNumber, opF64Sqrt)
	case "fround":
		x := double(anyNumber, opDemote)
		x.code = append(x.code, opPromote)
		return x
	case "min":
		if x, ok := l.choose(a, b, 0x48); ok {
			x.number = within(min(a.lo, b.lo), min(a.hi, b.hi))
			return x
		}
		return double(number{lo: min(a.lo, b.lo), hi: max(a.hi, b.hi), nan: a.nan || b.nan}, opF64Min)
	case "max":
		if x, ok := l.choose(a, b, 0x4a); ok {
			x.number = within(max(a.lo, b.lo), max(a.hi, b.hi))
			return x
		}
		return double(number{lo: min(a.lo, b.lo), hi: max(a.hi, b.hi), nan: a.nan || b.nan}, opF64Max)
	}
	fail("Math.%s", name)
	return value{}
}

// choose is the less or greater of two int32.
func (l *lowerer) choose(a, b value, compare byte) (value, bool) {
	if !a.plain() || !b.plain() || !a.fits(minInt32, maxInt32) || !b.fits(minInt32, maxInt32) {
		return value{}, false
	}
	if zero(a) && !zero(b) { // as in compare
		a, b = b, a
	}
	x, y := l.local(repI32), l.local(repI32)
	return value{code: seq(l.bits(a), set(x), l.bits(b), set(y), get(x), get(y), get(x), get(y),
		op(compare, opSelect))}, true
}

// charCode is a call of charCodeAt of a text.
func (l *lowerer) charCode(text value, at ast.Expression) value {
	i := l.expression(at)
	if text.array == nil || text.array.element != Bytes && text.array.element != Units {
		fail("charCodeAt of something unknown")
	}
	if !i.plain() { // NaN is 0, and what does not fit lies outside
		i = value{number: anyWhole, code: seq(l.double(i).code, op(opSaturate, satI64FromF64))}
	}
	index, code, there := l.index(text.array, i)
	x := text.array.load(index)
	if there == nil {
		return value{number: x.number, code: seq(code, x.code)}
	}
	n := number{lo: x.lo, hi: x.hi, nan: true}
	return value{number: n, low: seq(code, there, op(opIf, byte(repI32)), x.code, op(opElse), constI32(0), op(opEnd)),
		code: seq(code, there, op(opIf, byte(repF64)), x.code, op(opF64FromI32, opElse), constF64(math.NaN()),
			op(opEnd))}
}

// viewMethods are the methods of DataView that kernels know, with the element that they read or write.
var viewMethods = map[string]viewMethod{
	"getUint8": 1 + viewMethod(Uint8), "getInt8": 1 + viewMethod(Int8), "getUint16": 1 + viewMethod(Uint16),
	"getInt16": 1 + viewMethod(Int16), "getUint32": 1 + viewMethod(Uint32), "getInt32": 1 + viewMethod(Int32),
	"setUint8": 1 + viewMethod(Uint8), "setInt8": 1 + viewMethod(Int8), "setUint16": 1 + viewMethod(Uint16),
	"setInt16": 1 + viewMethod(Int16), "setUint32": 1 + viewMethod(Uint32), "setInt32": 1 + viewMethod(Int32),
}

type viewMethod uint8

// MathFunctions are the names of those of Math's functions that kernels know.
func MathFunctions() []string { return slices.Sorted(maps.Keys(mathArguments)) }

// ViewMethods are the names of those of DataView's methods that kernels know.
func ViewMethods() []string { return slices.Sorted(maps.Keys(viewMethods)) }

// view is a call of a method of a DataView.
func (l *lowerer) view(x value, name string, v *ast.CallExpression) value {
	m := viewMethods[name]
	sets := 0 // arguments before the order of bytes
	if name[0] == 's' {
		sets = 1
	}
	n := len(v.ArgumentList) - sets
	if m == 0 || x.array == nil || x.array.element != View || n < 1 || n > 2 {
		fail("a method of something unknown")
	}
	a, e := x.array, Element(m-1)
	size := int32(1) << elementsOf[e].shift
	at := l.expression(v.ArgumentList[0])
	var stored fragment
	written := l.local(repI32)
	if sets > 0 {
		stored = seq(l.bits(l.expression(v.ArgumentList[1])), set(written))
	}
	little := truth(false)
	if n == 2 {
		little = l.truthOf(l.expression(v.ArgumentList[sets+1]))
	}
	var offset fragment
	if at.plain() {
		offset = l.long(at)
	} else { // what does not fit saturates, and lies outside too
		offset = seq(l.double(at).code, op(opSaturate, satI64FromF64))
	}
	order, known := little.settled()
	if !known || !little.pure {
		fail("an order of bytes that differs")
	}
	wide := l.local(repI64)
	// The offset is in the view if offset + size <= length, unsigned. If not, the method throws: the kernel ends there.
	code := seq(offset, set(wide), stored,
		get(wide), l.long(a.size()), constI64(int64(size)-1), op(opI64Sub, 0x59), // i64.ge_s
		get(wide), constI64(0), op(opI64LtS, opI32Or))
	load := seq(get(a.at), get(wide), op(opWrap, opI32Add))
	if sets > 0 {
		l.effects++
		raw := get(written)
		if order == 0 {
			raw = swappedBytes(l, e, raw)
		}
		return value{number: undefined, code: seq(code, l.throws(v, a, wide, -1, order != 0), load, raw,
			memory(elementsOf[e].store, 0), constI64(oddValue))}
	}
	raw := seq(load, memory(elementsOf[e].load, 0))
	if order == 0 {
		raw = swappedBytes(l, e, raw)
	}
	return after(seq(code, l.throws(v, a, wide, -1, order != 0)), value{number: elementsOf[e].number, code: raw})
}

// swappedBytes reverses the bytes of what was loaded.
func swappedBytes(l *lowerer, e Element, raw fragment) fragment {
	switch e {
	case Uint32, Int32:
		t := l.local(repI32)
		return seq(raw, tee(t), constI32(8), op(opI32Rotl), constI32(0x00ff00ff), op(opI32And),
			get(t), constI32(24), op(opI32Rotl), constI32(-0xff0100), op(opI32And, opI32Or))
	case Uint16, Int16:
		t := l.local(repI32)
		out := seq(raw, constI32(0xffff), op(opI32And), tee(t), constI32(8), op(opI32ShrU), get(t), constI32(8),
			op(opI32Shl, opI32Or), constI32(0xffff), op(opI32And))
		if e == Int16 {
			out = seq(out, constI32(16), op(opI32Shl), constI32(16), op(opI32ShrS))
		}
		return out
	}
	return raw
}
