package ecma

import (
	"time"
	_ "time/tzdata" // zones on machines that have none

	"github.com/dop251/goja"
)

// intlParts are the functions that the Date, Number and String methods take from the Intl scripts.
type intlParts struct {
	object     *goja.Object
	formatDate goja.Callable // (ms, locales, options, required, defaults, method)
	formatNum  goja.Callable // (value, locales, options)
}

// installIntl leaves a lazy Intl and the locale methods of Date, Number, BigInt, String and Array. The scripts run at
// first use: they take some milliseconds, and most requests need none of them.
func (e *Engine) installIntl() error {
	global := e.rt.GlobalObject()
	get := e.function("get Intl", 0, func(goja.FunctionCall) goja.Value { return e.intl().object })
	set := e.function("set Intl", 1, func(call goja.FunctionCall) goja.Value {
		e.value(global, "Intl", call.Argument(0))
		return goja.Undefined()
	})
	must(global.DefineAccessorProperty("Intl", get, set, goja.FLAG_TRUE, goja.FLAG_FALSE))

	date := e.object("Date", "prototype")
	valueOf, _ := goja.AssertFunction(date.Get("valueOf"))
	for _, m := range []struct{ name, required, defaults string }{
		{"toLocaleString", "any", "all"}, {"toLocaleDateString", "date", "date"}, {"toLocaleTimeString", "time", "time"},
	} {
		e.method(date, m.name, 0, func(call goja.FunctionCall) goja.Value {
			ms, err := valueOf(call.This)
			if err != nil {
				e.throw("TypeError", "this is not a Date object.")
			}
			return e.call(e.intl().formatDate, ms, call.Argument(0), call.Argument(1), e.rt.ToValue(m.required), e.rt.ToValue(m.defaults), e.rt.ToValue(m.name))
		})
	}
	for _, name := range []string{"Number", "BigInt"} {
		proto := e.object(name, "prototype")
		valueOf, _ := goja.AssertFunction(proto.Get("valueOf"))
		e.method(proto, "toLocaleString", 0, func(call goja.FunctionCall) goja.Value {
			v, err := valueOf(call.This)
			if err != nil {
				panic(err)
			}
			return e.call(e.intl().formatNum, v, call.Argument(0), call.Argument(1))
		})
	}
	e.installLocaleStrings()
	return nil
}

// call calls a script function and passes its exception on.
func (e *Engine) call(f goja.Callable, args ...goja.Value) goja.Value {
	v, err := f(goja.Undefined(), args...)
	if err != nil {
		panic(err)
	}
	return v
}

func (e *Engine) intl() *intlParts {
	if e.intlState != nil {
		return e.intlState
	}
	sys := e.intlSystem()
	load := func(name string, args ...goja.Value) *goja.Object {
		v, err := e.run(name, args...)
		if err != nil {
			panic(err)
		}
		o, _ := v.(*goja.Object)
		return o
	}
	shared := load("intl.js", e.core, e.markNative, sys)
	number := load("intl_number.js", shared, sys)
	date := load("intl_date.js", shared, sys)
	load("intl_text.js", shared, number, sys)
	p := &intlParts{object: shared.Get("Intl").(*goja.Object)}
	p.formatDate, _ = goja.AssertFunction(date.Get("format"))
	p.formatNum, _ = goja.AssertFunction(number.Get("format"))
	e.intlState = p
	if d, ok := e.rt.GlobalObject().Get("Intl").(*goja.Object); ok && d == p.object {
		e.value(e.rt.GlobalObject(), "Intl", p.object)
	}
	return p
}

// intlSystem is what the Intl scripts get from Go.
func (e *Engine) intlSystem() *goja.Object {
	sys := e.rt.NewObject()
	fn := func(name string, f func(call goja.FunctionCall) goja.Value) {
		must(sys.Set(name, e.function(name, 0, f)))
	}
	list := func(items []string) goja.Value {
		vals := make([]any, len(items))
		for i, s := range items {
			vals[i] = s
		}
		return e.rt.NewArray(vals...)
	}
	fn("round", func(call goja.FunctionCall) goja.Value {
		n := func(i int) int { return int(call.Argument(i).ToInteger()) }
		return e.rt.ToValue(roundDecimal(call.Argument(0).String(), call.Argument(1).ToBoolean(), call.Argument(2).String(), n(3), n(4), n(5), n(6)))
	})
	fn("decimal", func(call goja.FunctionCall) goja.Value { return e.rt.ToValue(plainDecimal(call.Argument(0).ToFloat())) })
	fn("currencies", func(goja.FunctionCall) goja.Value { return list(currencyCodes()) })
	fn("currencyDigits", func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(currencyDigits(call.Argument(0).String()))
	})
	fn("currencyName", func(call goja.FunctionCall) goja.Value {
		form := call.Argument(1)
		return e.rt.ToValue(currencyName(call.Argument(0).String(), goja.IsUndefined(form), form.ToBoolean()))
	})
	fn("units", func(goja.FunctionCall) goja.Value { return list(unitNames) })
	fn("zones", func(goja.FunctionCall) goja.Value { return list(zoneNames()) })
	fn("defaultZone", func(goja.FunctionCall) goja.Value { return e.rt.ToValue("UTC") })
	fn("canonicalZone", func(call goja.FunctionCall) goja.Value {
		if name, ok := canonicalZone(call.Argument(0).String()); ok {
			return e.rt.ToValue(name)
		}
		return goja.Undefined()
	})
	fn("zoneAt", func(call goja.FunctionCall) goja.Value {
		z := zoneAt(call.Argument(0).String(), time.UnixMilli(call.Argument(1).ToInteger()))
		o := e.rt.NewObject()
		must(o.Set("offset", z.offset))
		must(o.Set("short", z.short))
		must(o.Set("long", z.long))
		return o
	})
	fn("compare", func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(e.collator(call.Argument(2).String()).CompareString(call.Argument(0).String(), call.Argument(1).String()))
	})
	fn("segment", func(call goja.FunctionCall) goja.Value {
		breaks := segment(units(e.toString(call.Argument(0))), call.Argument(1).String())
		vals := make([]any, len(breaks))
		for i, b := range breaks {
			vals[i] = b
		}
		return e.rt.NewArray(vals...)
	})
	fn("displayName", func(call goja.FunctionCall) goja.Value {
		if name := displayName(call.Argument(0).String(), call.Argument(1).String()); name != "" {
			return e.rt.ToValue(name)
		}
		return goja.Undefined()
	})
	return sys
}
