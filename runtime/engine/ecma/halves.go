package ecma

import (
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"
)

// installHalves makes methods of texts keep halves of surrogate pairs that stand alone. goja goes by code points there,
// where such a half becomes U+FFFD.
func (e *Engine) installHalves() {
	proto := e.object("String").Get("prototype").(*goja.Object)
	for name, change := range map[string]func(u []uint16, next func(goja.String) goja.String) goja.String{
		"trim":        func(u []uint16, _ func(goja.String) goja.String) goja.String { return trimmed(u, true, true) },
		"trimStart":   func(u []uint16, _ func(goja.String) goja.String) goja.String { return trimmed(u, true, false) },
		"trimEnd":     func(u []uint16, _ func(goja.String) goja.String) goja.String { return trimmed(u, false, true) },
		"toLowerCase": aroundHalves,
		"toUpperCase": aroundHalves,
	} {
		n, _ := e.in.Native(proto.Get(name).(*goja.Object))
		next := *n.Call
		*n.Call = func(call goja.FunctionCall) goja.Value {
			if o, ok := call.This.(*goja.Object); ok {
				call.This = e.b.ToString(o)
			}
			u, wide := e.in.UnitsInMemory(call.This) // a text from Go has no halves
			if !wide || halfIn(u) < 0 {
				return next(call)
			}
			return change(u, func(part goja.String) goja.String {
				return next(goja.FunctionCall{This: part}).(goja.String)
			})
		}
	}
}

// halfIn is the place of the first half that stands alone, -1 if there is none.
func halfIn(u []uint16) int {
	for i := 0; i < len(u); i++ {
		switch r := rune(u[i]); {
		case !utf16.IsSurrogate(r):
		case i+1 < len(u) && utf16.DecodeRune(r, rune(u[i+1])) != '\uFFFD':
			i++
		default:
			return i
		}
	}
	return -1
}

// aroundHalves changes what is between halves. A half is no letter, so that nothing depends on what is beyond it.
func aroundHalves(u []uint16, change func(goja.String) goja.String) goja.String {
	var out goja.StringBuilder
	for {
		i := halfIn(u)
		if i < 0 {
			out.WriteString(change(goja.StringFromUTF16(u)))
			return out.String()
		}
		out.WriteString(change(goja.StringFromUTF16(u[:i])))
		out.WriteString(goja.StringFromUTF16(u[i : i+1]))
		u = u[i+1:]
	}
}

// spaces are what trim takes off: white space and ends of lines of the standard.
const spaces = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
	"\u2028\u2029\u202f\u205f\u3000\ufeff"

func trimmed(u []uint16, left, right bool) goja.String {
	space := func(c uint16) bool { return !utf16.IsSurrogate(rune(c)) && strings.ContainsRune(spaces, rune(c)) }
	for left && len(u) > 0 && space(u[0]) {
		u = u[1:]
	}
	for right && len(u) > 0 && space(u[len(u)-1]) {
		u = u[:len(u)-1]
	}
	return goja.StringFromUTF16(u)
}
