package ecma

import (
	"fmt"
	"math"
	"time"

	"github.com/dop251/goja"
)

// The platform's zone is UTC (RT7). goja takes local time from time.Local and offers no other way, so the zone is that
// of the whole process, set before anything runs.
func init() { time.Local = time.UTC }

// installDate gives Date V8's parser and text forms.
func (e *Engine) installDate() error {
	ctor := e.object("Date")
	proto := ctor.Get("prototype").(*goja.Object)
	valueOf, _ := goja.AssertFunction(proto.Get("valueOf"))
	n, ok := e.in.Native(ctor)
	if !ok {
		return fmt.Errorf("ecma: goja's Date is not a native function")
	}
	construct := *n.Construct
	*n.Construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
		if len(args) == 1 {
			v := args[0]
			if o, ok := v.(*goja.Object); ok && o.ClassName() != "Date" {
				v = e.toPrimitive(o)
			}
			if s, ok := v.(goja.String); ok {
				v = e.rt.ToValue(parseDate(s.String()))
			}
			args = []goja.Value{v} // goja would ask the object once more
		}
		return construct(args, newTarget)
	}
	*n.Call = func(goja.FunctionCall) goja.Value {
		now, err := valueOf(construct(nil, nil))
		if err != nil {
			panic(err)
		}
		return e.rt.ToValue(dateText(now.ToFloat(), true, true))
	}
	e.method(ctor, "parse", 1, func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(parseDate(e.toString(call.Argument(0)).String()))
	})
	for _, m := range []struct {
		name       string
		date, time bool
	}{{"toString", true, true}, {"toDateString", true, false}, {"toTimeString", false, true}} {
		e.method(proto, m.name, 0, func(call goja.FunctionCall) goja.Value {
			v, err := valueOf(call.This)
			if err != nil {
				e.b.Throw("TypeError", "this is not a Date object.")
			}
			return e.rt.ToValue(dateText(v.ToFloat(), m.date, m.time))
		})
	}
	if n, ok := e.in.Native(proto.Get("toISOString").(*goja.Object)); ok {
		format := *n.Call
		*n.Call = func(call goja.FunctionCall) goja.Value {
			v := format(call)
			// goja gives a year before 0 four digits; the format has six of those and a sign.
			if s := v.String(); len(s) > 5 && s[0] == '-' && s[5] == '-' {
				return e.rt.ToValue("-00" + s[1:])
			}
			return v
		}
	}
	e.value(proto, "toGMTString", proto.Get("toUTCString"))
	return nil
}

// toPrimitive is ToPrimitive with hint default, by way of the object's own conversion.
func (e *Engine) toPrimitive(o *goja.Object) goja.Value {
	convert := o.GetSymbol(goja.SymToPrimitive)
	if f, ok := goja.AssertFunction(convert); ok {
		v, err := f(o, e.rt.ToValue("default"))
		if err != nil {
			panic(err)
		}
		if _, isObject := v.(*goja.Object); isObject {
			e.b.Throw("TypeError", "Cannot convert object to primitive value")
		}
		return v
	}
	if convert != nil && !goja.IsUndefined(convert) && !goja.IsNull(convert) {
		text := "#<Object>"
		if _, isObject := convert.(*goja.Object); !isObject {
			text = convert.String()
		}
		e.b.Throw("TypeError", "'"+text+
			"' returned for property 'Symbol(Symbol.toPrimitive)' of object '#<Object>' is not a function")
	}
	for _, name := range []string{"valueOf", "toString"} {
		if f, ok := goja.AssertFunction(o.Get(name)); ok {
			v, err := f(o)
			if err != nil {
				panic(err)
			}
			if _, isObject := v.(*goja.Object); !isObject {
				return v
			}
		}
	}
	e.b.Throw("TypeError", "Cannot convert object to primitive value")
	return nil
}

// dateText is the date part, the time part or both of Date.prototype.toString.
func dateText(ms float64, date, clock bool) string {
	if math.IsNaN(ms) {
		return "Invalid Date"
	}
	t := time.UnixMilli(int64(ms)).UTC()
	text := ""
	if date {
		year := fmt.Sprintf("%04d", t.Year())
		if t.Year() < 0 {
			year = fmt.Sprintf("-%04d", -t.Year())
		}
		text = t.Format("Mon Jan 02 ") + year
		if clock {
			text += " "
		}
	}
	if clock {
		text += t.Format("15:04:05") + " GMT+0000 (Coordinated Universal Time)"
	}
	return text
}
