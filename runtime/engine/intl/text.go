package intl

import (
	"strings"
	"unicode"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"eddy/runtime/engine/builtin"
)

// collator returns the comparison for a key of intl_text.js: sensitivity, then n (numeric), p (ignore punctuation).
// A collator keeps buffers, so each engine has its own.
func (e *engine) collator(key string) *collate.Collator {
	if c := e.collators[key]; c != nil {
		return c
	}
	var opts []collate.Option
	switch {
	case strings.HasPrefix(key, "base"):
		opts = append(opts, collate.IgnoreCase, collate.IgnoreDiacritics)
	case strings.HasPrefix(key, "accent"):
		opts = append(opts, collate.IgnoreCase)
	case strings.HasPrefix(key, "case"):
		opts = append(opts, collate.IgnoreDiacritics)
	}
	if strings.Contains(key[4:], "n") && strings.HasSuffix(strings.TrimRight(key, "pu"), "n") {
		opts = append(opts, collate.Numeric)
	}
	c := collate.New(language.English, opts...)
	if e.collators == nil {
		e.collators = map[string]*collate.Collator{}
	}
	e.collators[key] = c
	return c
}

// longText is the length from which on texts are compared from their first difference on.
const longText = 1 << 16

// elementSize is about what a unit of a text takes while it is compared: as UTF-8, and as an element of the collation
// in a list that grows.
const elementSize = 24

// compare compares two texts as the collator of a key does. A collator lists the elements of both texts as far as they
// are alike, looks for no interrupt, and keeps the lists.
func (e *engine) compare(key string, a, b goja.String) int {
	if a.Length() < longText || b.Length() < longText {
		return e.collator(key).CompareString(builtin.UTF8(a), builtin.UTF8(b))
	}
	from := alike(a, b)
	if from == a.Length() && from == b.Length() {
		return 0
	}
	e.Reserve(elementSize * int64(a.Length()+b.Length()-2*from))
	defer delete(e.collators, key)
	rest := func(s goja.String) string { return builtin.UTF8(s.Substring(from, s.Length())) }
	return e.collator(key).CompareString(rest(a), rest(b))
}

// alike is how much two texts have in common at their start: all, or up to a Latin letter before the first difference,
// where an element of the collation begins.
func alike(a, b goja.String) (at int) {
	n := min(a.Length(), b.Length())
	for at < n && a.CharAt(at) == b.CharAt(at) {
		at++
	}
	if at == a.Length() && at == b.Length() {
		return at
	}
	for at--; at > 0 && !latin(a.CharAt(at)); at-- {
	}
	return max(at, 0)
}

func latin(unit uint16) bool { return unit < 0x250 && unicode.IsLetter(rune(unit)) }

// installLocaleStrings adds localeCompare and normalize with V8's behaviour.
func (e *engine) installLocaleStrings() {
	proto := e.Object("String", "prototype")
	self := func(v goja.Value, name string) goja.String {
		if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
			e.Throw("TypeError", "String.prototype."+name+" called on null or undefined")
		}
		return e.ToString(v)
	}
	e.Method(proto, "localeCompare", 1, func(call goja.FunctionCall) goja.Value {
		a, b := self(call.This, "localeCompare"), e.ToString(call.Argument(0))
		if !goja.IsUndefined(call.Argument(1)) || !goja.IsUndefined(call.Argument(2)) {
			ctor, ok := goja.AssertConstructor(e.intl().object.Get("Collator"))
			if ok {
				c, err := ctor(nil, call.Argument(1), call.Argument(2))
				if err != nil {
					panic(err)
				}
				f, _ := goja.AssertFunction(c.Get("compare"))
				return e.Call(f, a, b)
			}
		}
		return e.Runtime.ToValue(e.compare("variant", a, b))
	})
	e.Method(proto, "normalize", 0, func(call goja.FunctionCall) goja.Value {
		s := self(call.This, "normalize")
		form := "NFC"
		if v := call.Argument(0); !goja.IsUndefined(v) {
			form = e.ToString(v).String()
		}
		f, ok := map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}[form]
		if !ok {
			e.Throw("RangeError", "The normalization form should be one of NFC, NFD, NFKC, NFKD.")
		}
		if text := s.String(); f.IsNormalString(text) {
			return s
		} else if !strings.ContainsRune(text, unicode.ReplacementChar) {
			return e.Runtime.ToValue(f.String(text))
		}
		return goja.StringFromUTF16(normalizeUnits(builtin.Units(s), f))
	})
}

// normalizeUnits normalizes the well-formed stretches of a text and keeps lone surrogates.
func normalizeUnits(u []uint16, f norm.Form) []uint16 {
	var out []uint16
	flush := func(part []uint16) { out = append(out, builtin.Encode(f.String(builtin.Decode(part)))...) }
	from := 0
	for i := 0; i < len(u); i++ {
		if u[i]&0xF800 != 0xD800 {
			continue
		}
		if u[i]&0xFC00 == 0xD800 && i+1 < len(u) && u[i+1]&0xFC00 == 0xDC00 {
			i++
			continue
		}
		flush(u[from:i])
		out = append(out, u[i])
		from = i + 1
	}
	flush(u[from:])
	return out
}
