package ecma

import "unicode/utf16"

// decodeUnits turns well-formed UTF-16 into a Go string.
func decodeUnits(u []uint16) string { return string(utf16.Decode(u)) }

// encode turns a Go string into UTF-16.
func encode(s string) []uint16 { return utf16.Encode([]rune(s)) }

// decodeLenient decodes UTF-16 and keeps lone surrogates as runes.
func decodeLenient(u []uint16) []rune {
	out := make([]rune, 0, len(u))
	for i := 0; i < len(u); i++ {
		if u[i]&0xFC00 == 0xD800 && i+1 < len(u) && u[i+1]&0xFC00 == 0xDC00 {
			out = append(out, utf16.DecodeRune(rune(u[i]), rune(u[i+1])))
			i++
			continue
		}
		out = append(out, rune(u[i]))
	}
	return out
}
