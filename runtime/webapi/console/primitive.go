package console

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"eddy/runtime/engine/webidl"
	"github.com/dop251/goja"
)

// shortText is the length up to which a string is never broken into lines.
const shortText = 16

// primitive shows a value that is no object.
func (i *inspector) primitive(v goja.Value) string {
	switch v := v.(type) {
	case nil:
		return mark("undefined", styleUndefined)
	case goja.String:
		return i.text(v)
	case *goja.Symbol:
		return mark(symbolText(v), styleSymbol)
	}
	switch {
	case goja.IsUndefined(v):
		return mark("undefined", styleUndefined)
	case goja.IsNull(v):
		return mark("null", styleNull)
	case v.ExportType() == bigIntType:
		return mark(i.bigInt(v), styleNumber)
	}
	if b, ok := webidl.Primitive(v).(bool); ok {
		return mark(strconv.FormatBool(b), styleBoolean)
	}
	return mark(i.number(v), styleNumber)
}

func symbolText(s *goja.Symbol) string { return "Symbol(" + s.String() + ")" }

func (i *inspector) text(v goja.String) string {
	trailer := ""
	n := v.Length()
	if n > i.MaxStringLength {
		more := n - i.MaxStringLength
		trailer = fmt.Sprintf("... %d more character%s", more, plural(more))
		v = v.Substring(0, max(i.MaxStringLength, 0))
		n = v.Length()
	}
	if i.Compact != CompactFully && n > shortText && n > i.BreakLength-i.indent-4 {
		lines := strings.SplitAfter(v.String(), "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		if len(lines) > 1 {
			for k, line := range lines {
				lines[k] = mark(quote(i.rt.ToValue(line)), styleString)
			}
			return strings.Join(lines, " +\n"+strings.Repeat(" ", i.indent+2)) + trailer
		}
	}
	return mark(quote(v), styleString) + trailer
}

func plural(n int) string {
	if n > 1 {
		return "s"
	}
	return ""
}

// quote puts a string in the quotes that it contains least.
func quote(v goja.Value) string {
	s := v.String()
	q := byte('\'')
	if strings.Contains(s, "'") {
		switch {
		case !strings.Contains(s, `"`):
			q = '"'
		case !strings.Contains(s, "`") && !strings.Contains(s, "${"):
			q = '`'
		}
	}
	units := loneSurrogates(v, s)
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte(q)
	if units != nil {
		writeUnits(&b, units, q)
	} else {
		for _, r := range s {
			writeEscaped(&b, r, q)
		}
	}
	b.WriteByte(q)
	return b.String()
}

// loneSurrogates gives the code units of a string that Go text cannot hold, nil for all others.
func loneSurrogates(v goja.Value, s string) []uint16 {
	str, ok := v.(goja.String)
	if !ok || !strings.ContainsRune(s, utf8.RuneError) {
		return nil
	}
	units := make([]uint16, str.Length())
	for k := range units {
		units[k] = str.CharAt(k)
	}
	return units
}

func writeUnits(b *strings.Builder, units []uint16, q byte) {
	for k := 0; k < len(units); k++ {
		r := rune(units[k])
		if !utf16.IsSurrogate(r) {
			writeEscaped(b, r, q)
			continue
		}
		if k+1 < len(units) {
			if pair := utf16.DecodeRune(r, rune(units[k+1])); pair != utf8.RuneError {
				b.WriteRune(pair)
				k++
				continue
			}
		}
		fmt.Fprintf(b, `\u%x`, r)
	}
}

func writeEscaped(b *strings.Builder, r rune, q byte) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\b':
		b.WriteString(`\b`)
	case r == '\f':
		b.WriteString(`\f`)
	case r == '\\':
		b.WriteString(`\\`)
	case r == '\'' && q == '\'':
		b.WriteString(`\'`)
	case r < ' ' || r >= 0x7f && r < 0xa0:
		fmt.Fprintf(b, `\x%02X`, r)
	default:
		b.WriteRune(r)
	}
}

// escapeControl escapes without quoting.
func escapeControl(s string) string {
	var b strings.Builder
	for _, r := range s {
		writeEscaped(&b, r, '\'')
	}
	return b.String()
}

func (i *inspector) bigInt(v goja.Value) string {
	s := v.String()
	if i.NumericSeparator {
		s = separated(s)
	}
	return s + "n"
}

// number shows a number as text, also -0.
func (i *inspector) number(v goja.Value) string {
	f := v.ToFloat()
	if f == 0 && math.Signbit(f) {
		return "-0"
	}
	s := v.String()
	if !i.NumericSeparator || strings.ContainsAny(s, "eIN") {
		return s
	}
	whole, fraction, ok := strings.Cut(s, ".")
	if !ok {
		return separated(whole)
	}
	var parts []string
	for len(fraction) > 3 {
		parts = append(parts, fraction[:3])
		fraction = fraction[3:]
	}
	return separated(whole) + "." + strings.Join(append(parts, fraction), "_")
}

// separated puts underscores between groups of three digits.
func separated(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for k := len(s) - 3; k > 0; k -= 3 {
		s = s[:k] + "_" + s[k:]
	}
	return sign + s
}
