package console

import (
	"math"

	"eddy/runtime/engine/webidl"
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
)

// optionsObject makes the second argument of a custom inspection function.
func (i *inspector) optionsObject(depth goja.Value) *goja.Object {
	rt := i.h.Runtime()
	o := rt.NewObject()
	limit := func(n int) any {
		if n == Unlimited {
			return math.Inf(1)
		}
		return n
	}
	set := func(name string, v any) { _ = o.Set(name, v) }
	set("stylize", i.stylize)
	set("showHidden", i.ShowHidden)
	set("depth", depth)
	set("colors", i.Colors)
	set("customInspect", i.CustomInspect)
	set("showProxy", i.ShowProxy)
	set("maxArrayLength", limit(i.MaxArrayLength))
	set("maxStringLength", limit(i.MaxStringLength))
	set("breakLength", limit(i.BreakLength))
	if i.Compact == CompactFully {
		set("compact", true)
	} else {
		set("compact", i.Compact)
	}
	set("sorted", i.Sorted)
	set("getters", i.Getters == "all")
	set("numericSeparator", i.NumericSeparator)
	if i.User != nil {
		for _, key := range i.User.Keys() {
			if key != "depth" {
				set(key, i.User.Get(key))
			}
		}
	}
	return o
}

// styleNames are the styles as custom inspection functions name them.
var styleNames = map[string]style{
	"special": styleSpecial, "number": styleNumber, "bigint": styleNumber, "boolean": styleBoolean,
	"undefined": styleUndefined, "null": styleNull, "string": styleString, "symbol": styleSymbol, "date": styleDate,
	"regexp": styleRegexp, "module": styleModule,
}

// OptionsFrom reads the options argument of util.inspect; obj may be nil.
func OptionsFrom(obj *goja.Object) Options { return Defaults().Override(obj) }

// Override replaces those options that obj has.
func (o Options) Override(obj *goja.Object) Options {
	if obj == nil {
		return o
	}
	o.User = obj
	flag := func(name string, at *bool) {
		if v := option(obj, name); v != nil {
			*at = v.ToBoolean()
		}
	}
	limit := func(name string, at *int) {
		v := option(obj, name)
		if v == nil {
			return
		}
		if f := v.ToFloat(); goja.IsNull(v) || f >= 1<<31 {
			*at = Unlimited
		} else {
			*at = int(f)
		}
	}
	flag("showHidden", &o.ShowHidden)
	flag("colors", &o.Colors)
	flag("customInspect", &o.CustomInspect)
	flag("showProxy", &o.ShowProxy)
	flag("numericSeparator", &o.NumericSeparator)
	limit("depth", &o.Depth)
	limit("maxArrayLength", &o.MaxArrayLength)
	limit("maxStringLength", &o.MaxStringLength)
	limit("breakLength", &o.BreakLength)
	if v := option(obj, "compact"); v != nil {
		switch webidl.Primitive(v) {
		case true:
			o.Compact = CompactFully
		case false:
			o.Compact = 0
		default:
			o.Compact = int(v.ToInteger())
		}
	}
	if v := option(obj, "sorted"); v != nil {
		o.Sorted = v.ToBoolean()
		if f, ok := goja.AssertFunction(v); ok {
			o.Less = lessBy(f)
		}
	}
	if v := option(obj, "getters"); v != nil {
		switch s := webidl.Primitive(v); s {
		case "get", "set":
			o.Getters = s.(string)
		case true:
			o.Getters = "all"
		}
	}
	return o
}

func lessBy(f goja.Callable) func(a, b string) bool {
	return func(a, b string) bool {
		res, err := f(nil, goja.StringFromUTF16(utf16Of(a)), goja.StringFromUTF16(utf16Of(b)))
		if err != nil {
			panic(err)
		}
		return res.ToFloat() < 0
	}
}

func option(obj *goja.Object, name string) goja.Value {
	if v := obj.Get(name); v != nil && !goja.IsUndefined(v) {
		return v
	}
	return nil
}

// InspectFunction is a JavaScript util.inspect(value, options), for those who have no other.
func InspectFunction(h *host.Host) goja.Value { return intrinsicsOf(h).inspectFunction }
