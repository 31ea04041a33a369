package bounds

import (
	"math/big"
	"math/bits"

	"eddy/runtime/engine/gojainternals"

	"github.com/dop251/goja"
)

const (
	// maxBigInt bounds BigInts, in bits. In V8 that is 1<<30. Here it is what can still be written in decimal digits in
	// time: any text, key or comparison may ask for the digits, and nothing interrupts Go's arithmetic.
	maxBigInt = maxDigits
	// maxProduct bounds the work of a multiplication or division in steps of about a nanosecond. Go needs far more
	// steps than V8, and nothing can interrupt them.
	maxProduct = 1 << 31
	// maxDigits bounds, in bits, what is written in or read from decimal digits.
	maxDigits = 1 << 22
)

// watched bounds operators, before goja carries them out.
func watched(rt *goja.Runtime, op gojainternals.Operator, operands []goja.Value) {
	x := known.Of(rt)
	if x == nil {
		return
	}
	switch op {
	case gojainternals.SetPrototype:
		x.bare(operands[0])
		return
	case gojainternals.Spread:
		if len(operands) > maxArguments {
			x.overflow()
		}
		return
	case gojainternals.CopySpread, gojainternals.TakeApart:
		x.copied(operands[0])
		return
	case gojainternals.Concatenate, gojainternals.Add:
		total, texts := int64(0), false
		for _, v := range operands {
			if s, ok := v.(goja.String); ok {
				total += int64(s.Length())
				texts = true
			}
		}
		if texts {
			x.longTexts = true
			x.stringOf(total)
			for _, v := range operands {
				x.digits(v, 10)
			}
			return
		}
	}
	switch op {
	case gojainternals.Equal, gojainternals.NotEqual, gojainternals.Less, gojainternals.LessEqual,
		gojainternals.Greater, gojainternals.GreaterEqual:
		x.compared(operands[0], operands[1])
		x.compared(operands[1], operands[0])
		return
	}
	left, right := bigInt(operands[0]), bigInt(operands[1])
	if left == nil || right == nil {
		return
	}
	if n := x.bigOperation(op, left, right); n != nil {
		operands[1] = rt.ToValue(n)
	}
}

// compared throws if a text is too long to be read as the BigInt that the other operand is.
func (x *Bounds) compared(a, b goja.Value) {
	if s, ok := a.(goja.String); ok && goja.IsBigInt(b) && s.Length() > maxDigits/16 {
		x.tooBig()
	}
}

func bigInt(v goja.Value) *big.Int {
	if !goja.IsBigInt(v) {
		return nil
	}
	n, _ := v.Export().(*big.Int)
	return n
}

func (x *Bounds) tooBig() { x.b.Throw("RangeError", "Maximum BigInt size exceeded") }

// bits throws if a result may have more than n bits and that is too large, and reserves its memory.
func (x *Bounds) bits(n int64) {
	if n >= maxBigInt || n < 0 {
		x.tooBig()
	}
	x.reserve(n / 8)
}

// bigOperation throws if the result is too large, or too much work. Where goja would take only the low 64 bits of the
// right operand, it returns another operand to take instead.
func (x *Bounds) bigOperation(op gojainternals.Operator, left, right *big.Int) *big.Int {
	l, r := int64(left.BitLen()), int64(right.BitLen())
	switch op {
	case gojainternals.Add:
		x.bits(max(l, r))
	case gojainternals.Multiply:
		x.bits(max(l+r-1, 0)) // zero has no bits
		x.work(l, r)
	case gojainternals.Divide, gojainternals.Remainder:
		if l > r {
			x.work(l-r, r)
			x.work(r, r)
		}
	case gojainternals.Power:
		return x.power(left, right)
	case gojainternals.ShiftLeft, gojainternals.ShiftRight:
		if (right.Sign() < 0) == (op == gojainternals.ShiftLeft) { // it shifts to the right
			if r > 40 {
				return new(big.Int).Mul(big.NewInt(int64(right.Sign())), big.NewInt(1<<40))
			}
			return nil
		}
		switch {
		case l == 0:
			return new(big.Int)
		case r > 40:
			x.tooBig()
		}
		x.bits(l + new(big.Int).Abs(right).Int64())
	}
	return nil
}

func (x *Bounds) power(base, exponent *big.Int) *big.Int {
	if exponent.Sign() < 0 {
		return nil // goja throws
	}
	n := int64(base.BitLen())
	if n <= 1 { // n is 0, 1 or -1
		if exponent.BitLen() > 40 {
			return new(big.Int).Add(big.NewInt(2), new(big.Int).And(exponent, big.NewInt(1)))
		}
		return nil
	}
	if exponent.BitLen() > 31 {
		x.tooBig()
	}
	result := (n-1)*exponent.Int64() + 1
	x.bits(result)
	if new(big.Int).Abs(base).TrailingZeroBits() != uint(n-1) {
		x.work(result/2, result/2)
	}
	return nil
}

// work throws if multiplying a number of a bits by one of b bits takes too many steps. Go multiplies n words by n words
// in n to the power of 1.58 steps.
func (x *Bounds) work(a, b int64) {
	a, b = max(a, b)/64+1, min(a, b)/64+1
	steps := a / b * b
	for n := int64(bits.Len64(uint64(b))); n > 0; n-- { // b ** 0.585, as 1.5 for each doubling
		steps += steps / 2
		if steps > maxProduct {
			x.tooBig()
		}
	}
	x.reserve((a + b) * 8)
}

// digits throws if a BigInt is too long to be written in a base that is no power of two.
func (x *Bounds) digits(v goja.Value, radix int64) {
	if n := bigInt(v); n != nil && n.BitLen() > maxDigits && (radix == 0 || radix&(radix-1) != 0) {
		x.tooBig()
	}
}

// primitive returns a primitive value as a value of Go. It returns nil for an object, because goja would export
// everything that the object says it has.
func primitive(v goja.Value) any {
	if _, object := v.(*goja.Object); object || v == nil {
		return nil
	}
	return v.Export()
}

// boundBigInts bounds the conversions between BigInt and text, and asUintN, asIntN.
func (x *Bounds) boundBigInts() {
	ctor := x.b.Object("BigInt")
	n, _ := x.in.Native(ctor)
	call := *n.Call
	*n.Call = func(c goja.FunctionCall) goja.Value {
		if s, ok := c.Argument(0).(goja.String); ok && s.Length() > maxDigits/4 {
			x.tooBig()
		}
		return call(c)
	}
	for _, name := range []string{"asUintN", "asIntN"} {
		x.wrap(ctor, name, func(c goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
			width, ok := primitive(c.Argument(0)).(int64)
			value := bigInt(c.Argument(1))
			if !ok || value == nil || width <= maxBigInt || width >= 1<<53 {
				return next(c)
			}
			if value.Sign() < 0 && name == "asUintN" {
				x.tooBig()
			}
			return c.Argument(1)
		})
	}
	text := x.b.Object("String")
	if n, ok := x.in.Native(text); ok {
		next := *n.Call
		*n.Call = func(c goja.FunctionCall) goja.Value {
			x.digits(c.Argument(0), 10)
			return next(c)
		}
	}
	proto := ctor.Get("prototype").(*goja.Object)
	for _, name := range []string{"toString", "toLocaleString"} {
		f, ok := proto.Get(name).(*goja.Object)
		n, native := x.in.Native(f)
		if !ok || !native {
			continue
		}
		next := *n.Call
		*n.Call = func(c goja.FunctionCall) goja.Value {
			radix, _ := primitive(c.Argument(0)).(int64)
			x.digits(c.This, radix)
			return next(c)
		}
	}
}
