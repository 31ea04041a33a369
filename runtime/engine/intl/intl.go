package intl

import (
	"embed"
	"time"
	_ "time/tzdata"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"

	"eddy/runtime/engine/builtin"
)

//go:embed js/*.js
var files embed.FS

var scripts = builtin.NewScripts(files)

// engine is what Intl of one runtime keeps.
type engine struct {
	*builtin.Builder
	state     *parts // nil until the first use
	collators map[string]*collate.Collator
}

// parts are the functions that the Date, Number and String methods take from the Intl scripts.
type parts struct {
	object     *goja.Object
	formatDate goja.Callable // (ms, locales, options, required, defaults, method)
	formatNum  goja.Callable // (value, locales, options)
}

// Install leaves a lazy Intl and the locale methods of Date, Number, BigInt, String and Array. The scripts run at
// first use: they take some milliseconds, and most requests need none of them.
func Install(b *builtin.Builder) {
	e := &engine{Builder: b}
	global := e.Runtime.GlobalObject()
	get := e.Function("get Intl", 0, func(goja.FunctionCall) goja.Value { return e.intl().object })
	set := e.Function("set Intl", 1, func(call goja.FunctionCall) goja.Value {
		e.Value(global, "Intl", call.Argument(0))
		return goja.Undefined()
	})
	builtin.Must(global.DefineAccessorProperty("Intl", get, set, goja.FLAG_TRUE, goja.FLAG_FALSE))

	date := e.Object("Date", "prototype")
	valueOf, _ := goja.AssertFunction(date.Get("valueOf"))
	for _, m := range []struct{ name, required, defaults string }{
		{"toLocaleString", "any", "all"}, {"toLocaleDateString", "date", "date"},
		{"toLocaleTimeString", "time", "time"},
	} {
		e.Method(date, m.name, 0, func(call goja.FunctionCall) goja.Value {
			ms, err := valueOf(call.This)
			if err != nil {
				e.Throw("TypeError", "this is not a Date object.")
			}
			return e.Call(e.intl().formatDate, ms, call.Argument(0), call.Argument(1), e.Runtime.ToValue(m.required),
				e.Runtime.ToValue(m.defaults), e.Runtime.ToValue(m.name))
		})
	}
	for _, name := range []string{"Number", "BigInt"} {
		proto := e.Object(name, "prototype")
		valueOf, _ := goja.AssertFunction(proto.Get("valueOf"))
		e.Method(proto, "toLocaleString", 0, func(call goja.FunctionCall) goja.Value {
			v, err := valueOf(call.This)
			if err != nil {
				panic(err)
			}
			return e.Call(e.intl().formatNum, v, call.Argument(0), call.Argument(1))
		})
	}
	e.installLocaleStrings()
}

func (e *engine) intl() *parts {
	if e.state != nil {
		return e.state
	}
	sys := e.system()
	load := func(name string, args ...goja.Value) *goja.Object {
		v, err := scripts.Run(e.Builder, name, args...)
		if err != nil {
			panic(err)
		}
		o, _ := v.(*goja.Object)
		return o
	}
	shared := load("intl.js", e.Core, e.MarkNative, sys)
	number := load("number.js", shared, sys)
	date := load("date.js", shared, sys)
	load("text.js", shared, number, sys)
	p := &parts{object: shared.Get("Intl").(*goja.Object)}
	p.formatDate, _ = goja.AssertFunction(date.Get("format"))
	p.formatNum, _ = goja.AssertFunction(number.Get("format"))
	e.state = p
	if d, ok := e.Runtime.GlobalObject().Get("Intl").(*goja.Object); ok && d == p.object {
		e.Value(e.Runtime.GlobalObject(), "Intl", p.object)
	}
	return p
}

// system is what the Intl scripts get from Go.
func (e *engine) system() *goja.Object {
	sys := e.Runtime.NewObject()
	fn := func(name string, f func(call goja.FunctionCall) goja.Value) {
		builtin.Must(sys.Set(name, e.Function(name, 0, f)))
	}
	list := func(items []string) goja.Value {
		vals := make([]any, len(items))
		for i, s := range items {
			vals[i] = s
		}
		return e.Runtime.NewArray(vals...)
	}
	fn("round", func(call goja.FunctionCall) goja.Value {
		n := func(i int) int { return int(call.Argument(i).ToInteger()) }
		return e.Runtime.ToValue(roundDecimal(call.Argument(0).String(), call.Argument(1).ToBoolean(),
			call.Argument(2).String(), n(3), n(4), n(5), n(6)))
	})
	fn("decimal", func(call goja.FunctionCall) goja.Value {
		return e.Runtime.ToValue(plainDecimal(call.Argument(0).ToFloat()))
	})
	fn("currencies", func(goja.FunctionCall) goja.Value { return list(currencyCodes()) })
	fn("currencyDigits", func(call goja.FunctionCall) goja.Value {
		return e.Runtime.ToValue(currencyDigits(call.Argument(0).String()))
	})
	fn("currencyName", func(call goja.FunctionCall) goja.Value {
		form := call.Argument(1)
		return e.Runtime.ToValue(currencyName(call.Argument(0).String(), goja.IsUndefined(form), form.ToBoolean()))
	})
	fn("units", func(goja.FunctionCall) goja.Value { return list(unitNames) })
	fn("zones", func(goja.FunctionCall) goja.Value { return list(zoneNames()) })
	fn("defaultZone", func(goja.FunctionCall) goja.Value { return e.Runtime.ToValue("UTC") })
	fn("canonicalZone", func(call goja.FunctionCall) goja.Value {
		if name, ok := canonicalZone(call.Argument(0).String()); ok {
			return e.Runtime.ToValue(name)
		}
		return goja.Undefined()
	})
	fn("zoneAt", func(call goja.FunctionCall) goja.Value {
		z := zoneAt(call.Argument(0).String(), time.UnixMilli(call.Argument(1).ToInteger()))
		o := e.Runtime.NewObject()
		builtin.Must(o.Set("offset", z.offset))
		builtin.Must(o.Set("short", z.short))
		builtin.Must(o.Set("long", z.long))
		return o
	})
	fn("compare", func(call goja.FunctionCall) goja.Value {
		return e.Runtime.ToValue(e.compare(call.Argument(2).String(), e.ToString(call.Argument(0)),
			e.ToString(call.Argument(1))))
	})
	fn("segment", func(call goja.FunctionCall) goja.Value {
		breaks := segment(builtin.Units(e.ToString(call.Argument(0))), call.Argument(1).String())
		vals := make([]any, len(breaks))
		for i, b := range breaks {
			vals[i] = b
		}
		return e.Runtime.NewArray(vals...)
	})
	fn("displayName", func(call goja.FunctionCall) goja.Value {
		if name := displayName(call.Argument(0).String(), call.Argument(1).String()); name != "" {
			return e.Runtime.ToValue(name)
		}
		return goja.Undefined()
	})
	return sys
}
