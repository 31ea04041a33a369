package ecma

import (
	"math"
	"math/big"

	"github.com/dop251/goja"
)

// installBuiltins runs the embedded scripts and adds what is better done in Go (GJ2, RT4).
func (e *Engine) installBuiltins() error {
	native := e.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		if o, ok := call.Argument(0).(*goja.Object); ok {
			name := ""
			if n := o.Get("name"); n != nil {
				name = n.String()
			}
			e.in.setSource(o, "function "+name+"() { [native code] }")
		}
		return goja.Undefined()
	})
	e.installWeakKeys()
	core, err := e.run("core.js", native)
	if err != nil {
		return err
	}
	e.core, e.markNative = core, native
	iterator, err := e.run("iterator.js", core, native)
	if err != nil {
		return err
	}
	if _, err := e.run("disposable.js", core, iterator, native); err != nil {
		return err
	}
	if _, err := e.run("memory.js", core, native, e.growth()); err != nil {
		return err
	}
	e.installMath()
	e.installBuffers()
	e.installWeak()
	e.installEval()
	return nil
}

func (e *Engine) installMath() {
	m := e.object("Math")
	e.method(m, "f16round", 1, func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(float16(toFloat16(e.toNumber(call.Argument(0)))))
	})
	e.method(m, "sumPrecise", 1, func(call goja.FunctionCall) goja.Value {
		sum := new(big.Float).SetPrec(2200).SetInt64(0)
		var special float64
		negativeZero, any, wrong := true, false, ""
		e.rt.ForOf(call.Argument(0), func(v goja.Value) bool {
			if v == nil || !goja.IsNumber(v) {
				wrong = TypeOf(v)
				return false
			}
			f := v.ToFloat()
			any = true
			if f != 0 || !math.Signbit(f) {
				negativeZero = false
			}
			if math.IsInf(f, 0) || math.IsNaN(f) {
				special += f
				return true
			}
			sum.Add(sum, big.NewFloat(f))
			return true
		})
		switch {
		case wrong != "":
			e.throw("TypeError", "Type of 'Iterator value' must be 'number', found '"+wrong+"'")
		case special != 0:
			return e.rt.ToValue(special)
		case negativeZero || !any:
			return e.rt.ToValue(math.Copysign(0, -1))
		}
		f, _ := sum.Float64()
		return e.rt.ToValue(f)
	})
}

// toNumber is the abstract operation ToNumber with V8's errors.
func (e *Engine) toNumber(v goja.Value) float64 {
	if _, ok := v.(*goja.Symbol); ok {
		e.throw("TypeError", "Cannot convert a Symbol value to a number")
	}
	if goja.IsBigInt(v) {
		e.throw("TypeError", "Cannot convert a BigInt value to a number")
	}
	return v.ToNumber().ToFloat()
}

// toFloat16 rounds to IEEE 754 binary16, ties to even, directly from binary64 (no double rounding).
func toFloat16(f float64) uint16 {
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

func float16(h uint16) float64 {
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

// installEval makes eval and the function constructors throw the platform's EvalError (RT5).
func (e *Engine) installEval() {
	if e.opts.AllowEval {
		return
	}
	const text = "Code generation from strings disallowed for this context"
	refuse := func(o *goja.Object) {
		n, ok := e.in.native(o)
		if !ok {
			return
		}
		*n.call = func(goja.FunctionCall) goja.Value { e.throw("EvalError", text); return nil }
		if *n.construct != nil {
			*n.construct = func([]goja.Value, *goja.Object) *goja.Object { e.throw("EvalError", text); return nil }
		}
	}
	for _, src := range []string{"(function(){})", "(function*(){})", "(async function(){})"} {
		v, err := e.rt.RunString(src)
		if err != nil {
			continue // a form this goja can't parse has no constructor to refuse
		}
		if c, ok := v.(*goja.Object).Get("constructor").(*goja.Object); ok {
			refuse(c)
		}
	}
	// A function of our own: goja would still take a call of its intrinsic eval for a direct one.
	e.method(e.rt.GlobalObject(), "eval", 1, func(call goja.FunctionCall) goja.Value {
		if v := call.Argument(0); !goja.IsString(v) {
			return v
		}
		e.throw("EvalError", text)
		return nil
	})
}
