package ecma

import (
	"math/big"
	"math/bits"

	"eddy/runtime/engine/gojainternals"

	"github.com/dop251/goja"
)

const (
	// maxBigInt is V8's, in bits.
	maxBigInt = 1 << 30
	// maxProduct bounds the work of a multiplication or division in steps of about a nanosecond. Go's take far more of
	// them than V8's, and nothing can interrupt them.
	maxProduct = 1 << 31
	// maxDigits bounds, in bits, what is written in or read from decimal digits.
	maxDigits = 1 << 22
)

// watched bounds operators, before goja carries them out.
func watched(rt *goja.Runtime, op gojainternals.Operator, operands []goja.Value) {
	e := engineOf(rt)
	if e == nil {
		return
	}
	switch op {
	case gojainternals.Spread:
		if len(operands) > maxArguments {
			e.overflow()
		}
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
			e.stringOf(total)
			for _, v := range operands {
				e.digits(v, 10)
			}
			return
		}
	}
	left, right := bigInt(operands[0]), bigInt(operands[1])
	if left == nil || right == nil {
		return
	}
	if n := e.bigOperation(op, left, right); n != nil {
		operands[1] = rt.ToValue(n)
	}
}

func bigInt(v goja.Value) *big.Int {
	if !goja.IsBigInt(v) {
		return nil
	}
	n, _ := v.Export().(*big.Int)
	return n
}

func (e *Engine) tooBig() { e.throw("RangeError", "Maximum BigInt size exceeded") }

// bits says how many a result will have at most.
func (e *Engine) bits(n int64) {
	if n >= maxBigInt || n < 0 {
		e.tooBig()
	}
	e.reserve(n / 8)
}

// bigOperation throws if the result is too large, or too much work. It returns what to take instead of the right
// operand where goja would take its low 64 bits only.
func (e *Engine) bigOperation(op gojainternals.Operator, left, right *big.Int) *big.Int {
	l, r := int64(left.BitLen()), int64(right.BitLen())
	switch op {
	case gojainternals.Add:
		e.bits(max(l, r))
	case gojainternals.Multiply:
		e.bits(max(l+r-1, 0)) // zero has no bits
		e.work(l, r)
	case gojainternals.Divide, gojainternals.Remainder:
		if l > r {
			e.work(l-r, r)
			e.work(r, r)
		}
	case gojainternals.Power:
		return e.power(left, right)
	case gojainternals.ShiftLeft, gojainternals.ShiftRight:
		if (right.Sign() < 0) == (op == gojainternals.ShiftLeft) { // to the right
			if r > 40 {
				return new(big.Int).Mul(big.NewInt(int64(right.Sign())), big.NewInt(1<<40))
			}
			return nil
		}
		switch {
		case l == 0:
			return new(big.Int)
		case r > 40:
			e.tooBig()
		}
		e.bits(l + new(big.Int).Abs(right).Int64())
	}
	return nil
}

func (e *Engine) power(base, exponent *big.Int) *big.Int {
	if exponent.Sign() < 0 {
		return nil // goja throws
	}
	n := int64(base.BitLen())
	if n <= 1 { // 0, 1, -1
		if exponent.BitLen() > 40 {
			return new(big.Int).Add(big.NewInt(2), new(big.Int).And(exponent, big.NewInt(1)))
		}
		return nil
	}
	if exponent.BitLen() > 31 {
		e.tooBig()
	}
	result := (n-1)*exponent.Int64() + 1
	e.bits(result)
	if new(big.Int).Abs(base).TrailingZeroBits() != uint(n-1) {
		e.work(result/2, result/2)
	}
	return nil
}

// work throws if a product of numbers of so many bits takes too many steps. Go multiplies n words by n words in
// n to the power of 1.58.
func (e *Engine) work(a, b int64) {
	a, b = max(a, b)/64+1, min(a, b)/64+1
	steps := a / b * b
	for n := int64(bits.Len64(uint64(b))); n > 0; n-- { // b ** 0.585, as 1.5 for each doubling
		steps += steps / 2
		if steps > maxProduct {
			e.tooBig()
		}
	}
	e.reserve((a + b) * 8)
}

// digits throws if a BigInt is too long to be written in a base that is no power of two.
func (e *Engine) digits(v goja.Value, radix int64) {
	if n := bigInt(v); n != nil && n.BitLen() > maxDigits && (radix == 0 || radix&(radix-1) != 0) {
		e.tooBig()
	}
}

// boundBigInts bounds the conversions between BigInt and text, and asUintN, asIntN.
func (e *Engine) boundBigInts() {
	ctor := e.object("BigInt")
	n, _ := e.in.Native(ctor)
	call := *n.Call
	*n.Call = func(c goja.FunctionCall) goja.Value {
		if s, ok := c.Argument(0).(goja.String); ok && s.Length() > maxDigits/4 {
			e.tooBig()
		}
		return call(c)
	}
	for _, name := range []string{"asUintN", "asIntN"} {
		e.wrap(ctor, name, func(c goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
			width, ok := c.Argument(0).Export().(int64)
			value := bigInt(c.Argument(1))
			if !ok || value == nil || width <= maxBigInt || width >= 1<<53 {
				return next(c)
			}
			if value.Sign() < 0 && name == "asUintN" {
				e.tooBig()
			}
			return c.Argument(1)
		})
	}
	text := e.object("String")
	if n, ok := e.in.Native(text); ok {
		next := *n.Call
		*n.Call = func(c goja.FunctionCall) goja.Value {
			e.digits(c.Argument(0), 10)
			return next(c)
		}
	}
	proto := ctor.Get("prototype").(*goja.Object)
	for _, name := range []string{"toString", "toLocaleString"} {
		f, ok := proto.Get(name).(*goja.Object)
		n, native := e.in.Native(f)
		if !ok || !native {
			continue
		}
		next := *n.Call
		*n.Call = func(c goja.FunctionCall) goja.Value {
			radix, _ := c.Argument(0).Export().(int64)
			e.digits(c.This, radix)
			return next(c)
		}
	}
}
