package bounds

import (
	"math"
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/text/unicode/norm"

	"eddy/runtime/engine/builtin"
)

// missing tells whether a this value is one that no method of String takes, so that goja throws its own error.
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
		if builtin.ASCII(s) { // goja copies one at a time
			return x.rt.ToValue(strings.Repeat(s.String(), int(count)))
		}
		x.reserve(int64(s.Length()) * int64(count)) // and once more, for two bytes a unit
		return repeated(s, int(count))
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
				n = strings.Count(builtin.UTF8(s), separator.String())
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
			text := builtin.UTF8(s)
			if f, ok := forms[form.String()]; ok && !strings.ContainsRune(text, '\uFFFD') { // perhaps a lone surrogate
				return x.rt.ToValue(x.normalized(text, f))
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
			if s, ok := call.This.(goja.String); ok && s.Length() >= large/caseUnit {
				if !builtin.ASCII(s) {
					x.reserve(int64(s.Length()) * caseUnit)
					return x.cased(s, name, next)
				}
				x.reserve(int64(s.Length()))
			}
			return next(call)
		})
	}
}

// repeated is s, which has something beyond ASCII, count times.
func repeated(s goja.String, count int) goja.String {
	var out goja.StringBuilder
	out.LikelyUnicode(s.Length() * count)
	piece, times := s, 1
	for ; piece.Length() < longText && 2*times <= count; times *= 2 {
		piece = piece.Concat(piece)
	}
	for ; count >= times; count -= times {
		out.WriteString(piece)
	}
	for ; count > 0; count-- {
		out.WriteString(s)
	}
	return out.String()
}

var forms = map[string]norm.Form{"undefined": norm.NFC, "NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC,
	"NFKD": norm.NFKD}

// cased changes the case of a long text beyond ASCII in parts: of a whole one goja makes lists of code points. Only the
// lower case of the letter sigma depends on what is around it, so that texts with one stay whole.
func (x *Bounds) cased(s goja.String, name string, next func(goja.FunctionCall) goja.Value) goja.Value {
	if strings.HasSuffix(name, "LowerCase") && strings.ContainsRune(builtin.UTF8(s), '\u03a3') {
		x.reserve(int64(s.Length()) * runeUnit)
		return next(goja.FunctionCall{This: s})
	}
	var out goja.StringBuilder
	size := textSize{x: x}
	builtin.EachPart(s, func(part goja.String) {
		changed := next(goja.FunctionCall{This: part}).(goja.String)
		size.add(2 * int64(changed.Length()))
		out.WriteString(changed)
		x.in.RaiseInterrupt(x.rt)
	})
	return out.String()
}

// normalized makes a normal form of a long text. It counts on the way, because one character may become eighteen.
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

const (
	// caseUnit is about what a character beyond ASCII takes while its case is changed: the new text, and one as UTF-8.
	caseUnit = 6
	// runeUnit is about what it takes while goja lists code points.
	runeUnit = 24
	// matchSize is about what goja keeps of a match until all are found, with room to grow.
	matchSize = 100
)

// matches is how often search stands in s.
func (x *Bounds) matches(s, search goja.String) int64 {
	if search.Length() == 0 {
		return int64(s.Length()) + 1
	}
	return int64(strings.Count(builtin.UTF8(s), search.String()))
}

// boundReplaceAll bounds the length of a text with all its replacements.
func (x *Bounds) boundReplaceAll(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
	if _, object := call.Argument(0).(*goja.Object); object || missing(call.This) {
		return next(call)
	}
	s, search := x.b.ToString(call.This), x.b.ToString(call.Argument(0))
	if s.Length() >= large/matchSize { // goja lists all matches first
		x.reserve(matchSize * x.matches(s, search))
	}
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
		if search.Length() == 0 {
			call, _ := goja.AssertFunction(replacement)
			return x.between(s, func(i int, out *goja.StringBuilder) {
				part, err := call(goja.Undefined(), search, x.rt.ToValue(i), s)
				if err != nil {
					panic(err)
				}
				out.WriteString(part.(goja.String))
			})
		}
		return next(goja.FunctionCall{This: s, Arguments: []goja.Value{search, replacement}})
	}
	template := x.b.ToString(call.Argument(1))
	if worst := float64(s.Length()+1) * float64(template.Length()); worst > large ||
		template.Length() > 1 && s.Length() > 4096 {
		matches, each := x.matches(s, search), int64(template.Length())
		if t := template.String(); strings.Contains(t, "$`") || strings.Contains(t, "$'") {
			each += int64(s.Length()) / 2
		}
		x.stringOf(int64(math.Min(float64(matches)*float64(each), math.MaxInt32)))
	}
	if search.Length() == 0 {
		return x.between(s, filled(template, s))
	}
	return next(goja.FunctionCall{This: s, Arguments: []goja.Value{search, template}})
}
