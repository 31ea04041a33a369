package builtin

import (
	"unicode/utf16"

	"github.com/dop251/goja"
)

// Units copies a string's UTF-16 units.
func Units(s goja.String) []uint16 {
	out := make([]uint16, s.Length())
	for i := range out {
		out[i] = s.CharAt(i)
	}
	return out
}

// Decode turns well-formed UTF-16 into a Go string. Lone surrogates become U+FFFD.
func Decode(u []uint16) string { return string(utf16.Decode(u)) }

// Encode turns a Go string into UTF-16.
func Encode(s string) []uint16 { return utf16.Encode([]rune(s)) }
