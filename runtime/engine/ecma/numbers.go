package ecma

import (
	"math"
	"math/big"
	"slices"

	"github.com/dop251/goja"
)

// installNumbers mends conversions of numbers: goja writes the fraction of a number in another base than ten to another
// length than V8 does, without the sign if there is nothing else, BigInt takes a number for what an object becomes, and
// Number the lowest 64 bits of a BigInt.
// Blanks beyond ASCII are no numbers for its isNaN.
func (e *Engine) installNumbers() {
	e.wrap(e.object("Number", "prototype"), "toString", func(call goja.FunctionCall, next nativeCall) goja.Value {
		radix := call.Argument(0)
		if !goja.IsNumber(call.This) || goja.IsUndefined(radix) {
			return next(call)
		}
		base, value := e.b.ToNumber(radix), call.This.ToFloat()
		if base = math.Trunc(base); !(base >= 2 && base <= 36) {
			e.b.Throw("RangeError", "toString() radix argument must be between 2 and 36")
		}
		if base == 10 || math.Trunc(value) == value && math.Abs(value) < 1<<53 || value-value != 0 {
			return next(goja.FunctionCall{This: call.This, Arguments: []goja.Value{e.rt.ToValue(base)}})
		}
		return e.rt.ToValue(inBase(value, int(base)))
	})

	number, _ := e.in.Native(e.object("Number"))
	call, construct := *number.Call, *number.Construct
	*number.Call = func(c goja.FunctionCall) goja.Value {
		return call(goja.FunctionCall{This: c.This, Arguments: e.ofBigInt(c.Arguments)})
	}
	*number.Construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
		return construct(e.ofBigInt(args), newTarget)
	}

	n, _ := e.in.Native(e.object("BigInt"))
	convert := *n.Call
	*n.Call = func(call goja.FunctionCall) goja.Value {
		if o, ok := call.Argument(0).(*goja.Object); ok {
			call = goja.FunctionCall{This: call.This, Arguments: []goja.Value{e.numberHint(o)}}
		}
		return convert(call)
	}

	numbers := func(call goja.FunctionCall, next nativeCall) goja.Value {
		for i, v := range call.Arguments {
			if s, ok := v.(goja.String); ok {
				args := slices.Clone(call.Arguments)
				args[i] = s.ToNumber()
				call.Arguments = args
			}
		}
		return next(call)
	}
	e.wrap(e.rt.GlobalObject(), "isNaN", numbers)
	e.wrap(e.rt.GlobalObject(), "isFinite", numbers)
}

// ofBigInt is what Number is called with, where that is a BigInt: goja takes its lowest 64 bits.
func (e *Engine) ofBigInt(args []goja.Value) []goja.Value {
	if len(args) == 0 {
		return args
	}
	v := args[0]
	if o, ok := v.(*goja.Object); ok {
		v = e.numberHint(o)
	} else if !goja.IsBigInt(v) {
		return args
	}
	if n, ok := v.Export().(*big.Int); ok && goja.IsBigInt(v) {
		f, _ := new(big.Float).SetInt(n).Float64()
		v = e.rt.ToValue(f)
	}
	return []goja.Value{v}
}

// numberHint is ToPrimitive with the hint number.
func (e *Engine) numberHint(o *goja.Object) goja.Value {
	call := func(f goja.Callable, args ...goja.Value) goja.Value {
		v, err := f(o, args...)
		if err != nil {
			panic(err)
		}
		return v
	}
	if exotic := o.GetSymbol(goja.SymToPrimitive); exotic != nil && !goja.IsUndefined(exotic) && !goja.IsNull(exotic) {
		f, ok := goja.AssertFunction(exotic)
		if !ok {
			return o.ToNumber() // which throws
		}
		if v := call(f, e.rt.ToValue("number")); !isObject(v) {
			return v
		}
	} else {
		for _, name := range []string{"valueOf", "toString"} {
			if f, ok := goja.AssertFunction(o.Get(name)); ok {
				if v := call(f); !isObject(v) {
					return v
				}
			}
		}
	}
	e.b.Throw("TypeError", "Cannot convert object to primitive value")
	return nil
}

func isObject(v goja.Value) bool {
	_, ok := v.(*goja.Object)
	return ok
}

// inBase writes a finite number as V8's DoubleToRadixCString does: as many digits of the fraction as tell the number
// from its neighbours, and zeros for those of an integer that it does not have.
func inBase(value float64, base int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	sign := ""
	if value < 0 {
		sign, value = "-", -value
	}
	radix := float64(base)
	integer := math.Floor(value)
	fraction := value - integer
	delta := max(0.5*(math.Nextafter(value, math.Inf(1))-value), math.SmallestNonzeroFloat64)
	var after []byte // places of digits
	for fraction >= delta {
		fraction *= radix
		delta *= radix
		digit := int(fraction)
		after = append(after, byte(digit))
		fraction -= float64(digit)
		if (fraction > 0.5 || fraction == 0.5 && digit&1 == 1) && fraction+delta > 1 { // rounds up
			for {
				if len(after) == 0 {
					integer++
					break
				}
				last := int(after[len(after)-1])
				after = after[:len(after)-1]
				if last+1 < base {
					after = append(after, byte(last+1))
					break
				}
			}
			break
		}
	}
	var before []byte // from the last digit on
	for integer/radix >= 1<<53 {
		integer /= radix
		before = append(before, '0')
	}
	for {
		rest := math.Mod(integer, radix)
		before = append(before, digits[int(rest)])
		if integer = (integer - rest) / radix; integer <= 0 {
			break
		}
	}
	slices.Reverse(before)
	text := sign + string(before)
	if len(after) > 0 {
		text += "."
		for _, d := range after {
			text += string(digits[d])
		}
	}
	return text
}
