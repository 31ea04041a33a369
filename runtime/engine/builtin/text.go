package builtin

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// longPart is how many units of a long text are looked at at once.
const longPart = 1 << 16

// UTF8 is s.String(), without what goja needs for a long text beyond ASCII: it makes a list of code points, four bytes
// for each.
func UTF8(s goja.String) string {
	switch {
	case s.Length() <= 2*longPart:
		return gojainternals.UTF8(s)
	case ASCII(s):
		return s.String()
	}
	var b strings.Builder
	b.Grow(UTF8Length(s))
	eachRune(s, func(r rune) { b.WriteRune(r) })
	return b.String()
}

// UTF8Bytes is what UTF8 gives, as bytes of its own.
func UTF8Bytes(s goja.String) []byte {
	if s.Length() <= 2*longPart {
		return gojainternals.AppendUTF8(nil, s)
	}
	b := make([]byte, 0, UTF8Length(s))
	eachRune(s, func(r rune) { b = utf8.AppendRune(b, r) })
	return b
}

// UTF8Length is how many bytes UTF8 gives.
func UTF8Length(s goja.String) (size int) {
	if s.Length() <= 2*longPart {
		return len(s.String())
	}
	eachRune(s, func(r rune) { size += utf8.RuneLen(r) })
	return size
}

// eachRune calls f with the code points of a text, and with U+FFFD for the lone half of a pair.
func eachRune(s goja.String, f func(r rune)) {
	length := s.Length()
	for i := 0; i < length; i++ {
		r := rune(s.CharAt(i))
		if utf16.IsSurrogate(r) {
			var low rune
			if i+1 < length {
				low = rune(s.CharAt(i + 1))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i++
			}
		}
		f(r)
	}
}

// ASCII tells whether a text has nothing beyond ASCII. goja keeps such a text as bytes, of which parts are no copies.
func ASCII(s goja.String) bool {
	length := s.Length()
	end := min(length, 256) // a copy of what is not ASCII is little
	for at := 0; at < length; at, end = end, min(end+longPart, length) {
		if len(s.Substring(at, end).String()) != end-at {
			return false
		}
	}
	return true
}

// EachPart calls f with the parts of a text, none of which ends within a surrogate pair.
func EachPart(s goja.String, f func(part goja.String)) {
	length := s.Length()
	for at := 0; at < length; {
		end := min(at+longPart, length)
		if end < length && utf16.IsSurrogate(rune(s.CharAt(end-1))) && utf16.IsSurrogate(rune(s.CharAt(end))) &&
			utf16.DecodeRune(rune(s.CharAt(end-1)), rune(s.CharAt(end))) != utf8.RuneError {
			end++
		}
		f(s.Substring(at, end))
		at = end
	}
}
