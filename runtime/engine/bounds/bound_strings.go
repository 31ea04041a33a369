package bounds

import (
	"math"
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/text/unicode/norm"
)

// missing tells whether no method of String takes a this value, so that goja throws its own error.
func missing(v goja.Value) bool { return v == nil || goja.IsUndefined(v) || goja.IsNull(v) }

// boundStrings bounds the methods of String that make longer strings.
func (x *Bounds) boundStrings() {
	proto := x.b.Object("String", "prototype")
	x.wrap(proto, "repeat", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		if missing(call.This) {
			return next(call)
		}
		s := x.b.ToString(call.This)
		count := math.Trunc(x.b.ToNumber(call.Argument(0)))
		if count < 0 || math.IsInf(count, 0) {
			return next(goja.FunctionCall{This: s, Arguments: []goja.Value{x.rt.ToValue(count)}})
		}
		if s.Length() == 0 || !(count > 0) {
			return x.rt.ToValue("")
		}
		x.stringOf(int64(math.Min(float64(s.Length())*count, math.MaxInt32)))
		if text := s.String(); len(text) == s.Length() { // goja copies one at a time
			return x.rt.ToValue(strings.Repeat(text, int(count)))
		}
		x.reserve(int64(s.Length()) * int64(count)) // two bytes each
		return next(goja.FunctionCall{This: s, Arguments: []goja.Value{x.rt.ToValue(int64(count))}})
	})
	for _, name := range []string{"padStart", "padEnd"} {
		x.wrap(proto, name, func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
			if missing(call.This) {
				return next(call)
			}
			s, width := x.b.ToString(call.This), x.b.ToNumber(call.Argument(0))
			args := []goja.Value{x.rt.ToValue(width)}
			if width > float64(s.Length()) {
				fill := call.Argument(1)
				if !goja.IsUndefined(fill) {
					fill = x.b.ToString(fill)
					args = append(args, fill)
					if fill.(goja.String).Length() == 0 {
						return s
					}
				}
				x.stringOf(int64(math.Min(width, math.MaxInt32)))
			}
			return next(goja.FunctionCall{This: s, Arguments: args})
		})
	}
	x.wrap(proto, "concat", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		if missing(call.This) {
			return next(call)
		}
		s := x.b.ToString(call.This)
		args, total := make([]goja.Value, len(call.Arguments)), int64(s.Length())
		for i, v := range call.Arguments {
			part := x.b.ToString(v)
			args[i] = part
			total += int64(part.Length())
		}
		x.stringOf(total)
		return next(goja.FunctionCall{This: s, Arguments: args})
	})
	x.wrap(proto, "split", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		s, ok := call.This.(goja.String)
		if separator, text := call.Argument(0).(goja.String); ok && text && s.Length() >= large/valueSize {
			n := s.Length()
			if separator.Length() > 0 {
				n = strings.Count(s.String(), separator.String())
			}
			x.reserve(int64(n) * 2 * valueSize)
		}
		return next(call)
	})
	x.wrap(proto, "normalize", func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
		if s, ok := call.This.(goja.String); ok && s.Length() >= large/8 {
			form := call.Argument(0)
			if !goja.IsUndefined(form) {
				form = x.b.ToString(form)
			}
			if f, ok := forms[form.String()]; ok && !strings.ContainsRune(s.String(),
				'\uFFFD') { // a lone surrogate may be one
				return x.rt.ToValue(x.normalized(s.String(), f))
			}
			return next(goja.FunctionCall{This: s, Arguments: []goja.Value{form}})
		}
		return next(call)
	})
	x.wrap(proto, "replaceAll", x.boundReplaceAll)
	for name, factor := range map[string]int64{"encodeURIComponent": 9, "encodeURI": 9, "escape": 6} {
		x.wrap(
			x.rt.GlobalObject(),
			name,
			func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
				if s, ok := call.Argument(0).(goja.String); ok && int64(s.Length())*factor >= large {
					x.reserve(int64(s.Length()) * factor)
				}
				return next(call)
			},
		)
	}
	for _, name := range []string{"toUpperCase", "toLocaleUpperCase", "toLowerCase", "toLocaleLowerCase"} {
		x.wrap(proto, name, func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
			if s, ok := call.This.(goja.String); ok && s.Length() >= large {
				x.reserve(int64(s.Length()) * 3)
			}
			return next(call)
		})
	}
}

var forms = map[string]norm.Form{"undefined": norm.NFC, "NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC,
	"NFKD": norm.NFKD}

// normalized is a normal form of a long text. It counts as it goes: one character may become eighteen.
func (x *Bounds) normalized(text string, form norm.Form) string {
	var it norm.Iter
	it.InitString(form, text)
	var out strings.Builder
	for n, size := 0, (textSize{x: x}); !it.Done(); n++ {
		part := it.Next()
		size.add(int64(len(part)))
		out.Write(part)
		if n%4096 == 0 {
			x.in.RaiseInterrupt(x.rt)
		}
	}
	return out.String()
}

// boundReplaceAll bounds the length of a text with all its replacements.
func (x *Bounds) boundReplaceAll(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
	if _, object := call.Argument(0).(*goja.Object); object || missing(call.This) {
		return next(call)
	}
	s, search := x.b.ToString(call.This), x.b.ToString(call.Argument(0))
	if f, ok := goja.AssertFunction(call.Argument(1)); ok {
		size := textSize{x: x}
		size.add(int64(s.Length()))
		replacement := x.rt.ToValue(func(inner goja.FunctionCall) goja.Value {
			v, err := f(goja.Undefined(), inner.Arguments...)
			if err != nil {
				panic(err)
			}
			part := x.b.ToString(v)
			size.add(int64(part.Length()))
			return part
		})
		return next(goja.FunctionCall{This: s, Arguments: []goja.Value{search, replacement}})
	}
	template := x.b.ToString(call.Argument(1))
	if worst := float64(s.Length()+1) * float64(template.Length()); worst > large ||
		template.Length() > 1 && s.Length() > 4096 {
		matches := int64(s.Length() + 1)
		if search.Length() > 0 {
			matches = int64(strings.Count(s.String(), search.String()))
		}
		each := int64(template.Length())
		if t := template.String(); strings.Contains(t, "$`") || strings.Contains(t, "$'") {
			each += int64(s.Length()) / 2
		}
		x.stringOf(int64(math.Min(float64(matches)*float64(each), math.MaxInt32)))
	}
	return next(goja.FunctionCall{This: s, Arguments: []goja.Value{search, template}})
}
