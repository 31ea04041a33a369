package ecma

import (
	"math"
	"math/big"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/v8text"
)

// installBuiltins runs the embedded scripts and adds what is better done in Go (GJ2, RT4).
func (e *Engine) installBuiltins() error {
	native := e.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		if o, ok := call.Argument(0).(*goja.Object); ok {
			name := ""
			if n := o.Get("name"); n != nil {
				name = n.String()
			}
			e.in.SetSource(o, "function "+name+"() { [native code] }")
		}
		return goja.Undefined()
	})
	e.installWeakKeys()
	core, err := e.run("core.js", native)
	if err != nil {
		return err
	}
	e.b.Core, e.b.MarkNative = core, native
	e.installLater()
	e.installMath()
	e.installHalves()
	e.installBuffers()
	e.installArguments()
	e.installNumbers()
	e.installWeak()
	e.installEval()
	e.installCaller()
	return nil
}

// installCaller makes goja's accessor of a function's caller and arguments know light functions.
func (e *Engine) installCaller() {
	describe, _ := goja.AssertFunction(e.object("Object").Get("getOwnPropertyDescriptor"))
	accessor := e.b.Call(describe, e.object("Function", "prototype"), e.rt.ToValue("caller")).(*goja.Object)
	n, ok := e.in.Native(accessor.Get("get").(*goja.Object)) // that of arguments is the same
	if !ok {
		panic("ecma: goja's accessor of a function's caller is not native")
	}
	next := *n.Call
	*n.Call = func(call goja.FunctionCall) goja.Value {
		e.in.SettleFunction(call.This)
		return next(call)
	}
}

func (e *Engine) installMath() {
	m := e.object("Math")
	e.method(m, "f16round", 1, func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(gojainternals.FromFloat16(gojainternals.ToFloat16(e.b.ToNumber(call.Argument(0)))))
	})
	e.method(m, "sumPrecise", 1, func(call goja.FunctionCall) goja.Value {
		sum := new(big.Float).SetPrec(2200).SetInt64(0)
		var special float64
		negativeZero, any, wrong := true, false, ""
		e.b.ForOf(call.Argument(0), func(v goja.Value) bool {
			if v == nil || !goja.IsNumber(v) {
				wrong = v8text.TypeOf(v)
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
			e.b.Throw("TypeError", "Type of 'Iterator value' must be 'number', found '"+wrong+"'")
		case special != 0:
			return e.rt.ToValue(special)
		case negativeZero || !any:
			return e.rt.ToValue(math.Copysign(0, -1))
		}
		f, _ := sum.Float64()
		return e.rt.ToValue(f)
	})
}

// functionForms make a function of each kind that has a constructor of its own.
var functionForms = sync.OnceValue(func() (forms []*goja.Program) {
	for _, src := range []string{"(function(){})", "(function*(){})", "(async function(){})"} {
		forms = append(forms, goja.MustCompile("ecma:form", src, true))
	}
	return forms
})

// installEval makes eval and the function constructors throw the platform's EvalError (RT5).
func (e *Engine) installEval() {
	if e.opts.AllowEval {
		return
	}
	const text = "Code generation from strings disallowed for this context"
	refuse := func(o *goja.Object) {
		n, ok := e.in.Native(o)
		if !ok {
			return
		}
		*n.Call = func(goja.FunctionCall) goja.Value { e.b.Throw("EvalError", text); return nil }
		if *n.Construct != nil {
			*n.Construct = func([]goja.Value, *goja.Object) *goja.Object { e.b.Throw("EvalError", text); return nil }
		}
	}
	for _, form := range functionForms() {
		if e.opts.AllowFunctions {
			break
		}
		v, err := e.rt.RunProgram(form)
		builtin.Must(err)
		if c, ok := v.(*goja.Object).Get("constructor").(*goja.Object); ok {
			refuse(c)
		}
	}
	// A function of our own: goja would still take a call of its intrinsic eval for a direct one.
	e.method(e.rt.GlobalObject(), "eval", 1, func(call goja.FunctionCall) goja.Value {
		if v := call.Argument(0); !goja.IsString(v) {
			return v
		}
		e.b.Throw("EvalError", text)
		return nil
	})
}
