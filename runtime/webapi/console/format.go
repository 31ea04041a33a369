package console

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// Format joins arguments as util.format does: a first string may hold %s %d %i %f %j %o %O %c, the rest follows after
// spaces, strings as they are.
func Format(h *host.Host, args []goja.Value, o Options) string {
	reserve(h, args)
	return finish(format(h, args, o), o.Colors)
}

// lineCopies is how often a text is in memory while it is printed: as bytes, formatted, with and without marks.
const lineCopies = 4

// reserve is told before texts are formatted: no look at the memory comes while they are.
func reserve(h *host.Host, args []goja.Value) {
	long := 0
	for _, v := range args {
		if s, ok := v.(goja.String); ok {
			long += builtin.UTF8Length(s)
		}
	}
	h.Loop.Need(int64(long) * lineCopies)
}

// format is Format with marks.
func format(h *host.Host, args []goja.Value, o Options) string {
	f := &formatter{h: h, o: o, in: intrinsicsOf(h), args: args}
	var b strings.Builder
	if len(args) > 0 {
		if first, ok := args[0].(goja.String); ok {
			b.WriteString(f.template(webidl.ToString(first)))
			f.at++
		}
	}
	for ; f.at < len(args); f.at++ {
		if f.at > 0 {
			b.WriteByte(' ')
		}
		if s, ok := args[f.at].(goja.String); ok {
			b.WriteString(webidl.ToString(s))
		} else {
			b.WriteString(f.inspect(args[f.at], o))
		}
	}
	return b.String()
}

type formatter struct {
	h    *host.Host
	o    Options
	in   *intrinsics
	args []goja.Value
	at   int // the number of the last argument that was used
}

func (f *formatter) inspect(v goja.Value, o Options) string {
	return newInspector(f.h, o).value(v, 0, false)
}

// template fills in a format string. When no arguments are left it copies the string, but replaces %% after a
// placeholder.
func (f *formatter) template(s string) string {
	if len(f.args) == 1 || !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for k := 0; k < len(s); k++ {
		if s[k] != '%' || k+1 == len(s) {
			b.WriteByte(s[k])
			continue
		}
		if s[k+1] == '%' {
			b.WriteByte('%')
			k++
			continue
		}
		if f.at+1 < len(f.args) {
			if text, ok := f.placeholder(s[k+1]); ok {
				b.WriteString(text)
				k++
				continue
			}
		}
		b.WriteByte('%')
	}
	return b.String()
}

// placeholder uses up the next argument; ok is false for letters that mean nothing.
func (f *formatter) placeholder(letter byte) (text string, ok bool) {
	if strings.IndexByte("sdifjoOc", letter) < 0 {
		return "", false
	}
	f.at++
	v := f.args[f.at]
	flat := f.o
	flat.Colors = false
	switch letter {
	case 's':
		return f.string(v), true
	case 'd':
		return f.number(v, "Number"), true
	case 'i':
		return f.number(v, "parseInt"), true
	case 'f':
		return f.number(v, "parseFloat"), true
	case 'j':
		return f.json(v), true
	case 'O':
		return f.inspect(v, f.o), true
	case 'o':
		flat.ShowHidden, flat.ShowProxy, flat.Depth = true, true, 4
		return f.inspect(v, flat), true
	}
	return "", true // %c sets styles, which only browsers have
}

func (f *formatter) string(v goja.Value) string {
	if obj, ok := v.(*goja.Object); ok {
		if !f.ownText(obj) {
			flat := f.o
			flat.Depth, flat.Colors, flat.Compact = 0, false, 3
			return plain(f.inspect(v, flat))
		}
		return obj.String()
	}
	if sym, ok := v.(*goja.Symbol); ok {
		return symbolText(sym)
	}
	if _, ok := v.(goja.String); ok {
		return v.String()
	}
	return plain(newInspector(f.h, f.o).primitive(v))
}

// ownText tells whether the user has given an object a toString of its own (errors and dates have built-in ones).
func (f *formatter) ownText(obj *goja.Object) bool {
	if _, isFunction := goja.AssertFunction(obj); isFunction {
		return true
	}
	if target, isProxy := proxyTarget(obj); isProxy {
		return target != nil && f.ownText(target)
	}
	if _, callable := goja.AssertFunction(obj.Get("toString")); !callable {
		return false
	}
	for at := obj; at != nil; at = at.Prototype() {
		if !f.in.ownNamed(at, "toString").ok {
			continue
		}
		if at == obj {
			return true
		}
		ctor, ok := f.in.ownNamed(at, "constructor").value.(*goja.Object)
		if !ok {
			return true
		}
		name, ok := ctor.Get("name").(goja.String)
		return !ok || !f.in.builtIn(name.String())
	}
	return false
}

// number converts by a global function.
func (f *formatter) number(v goja.Value, by string) string {
	if _, ok := v.(*goja.Symbol); ok {
		return "NaN"
	}
	in := newInspector(f.h, f.o)
	if v.ExportType() == bigIntType {
		if _, isObject := v.(*goja.Object); !isObject {
			return in.bigInt(v)
		}
	}
	convert, ok := goja.AssertFunction(f.h.Runtime().Get(by))
	if !ok {
		return "NaN"
	}
	return in.number(must(convert(nil, v)))
}

func (f *formatter) json(v goja.Value) string {
	rt := f.h.Runtime()
	stringify, ok := goja.AssertFunction(rt.Get("JSON").ToObject(rt).Get("stringify"))
	if !ok {
		return "undefined"
	}
	res, err := stringify(nil, v)
	if err == nil {
		return res.String()
	}
	if thrown, ok := f.h.Realm.ErrorValue(err).(*goja.Object); ok &&
		strings.Contains(thrown.Get("message").String(), "circular") {
		return "[Circular]"
	}
	panic(err)
}
