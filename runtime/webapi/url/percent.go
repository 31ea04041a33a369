package url

import "strings"

// set is a percent-encode set: which ASCII bytes are encoded. Bytes from 0x7F up always are.
type set [2]uint64

func (s *set) has(b byte) bool {
	return b >= 0x7f || s[b>>6]&(1<<(b&63)) != 0
}

func (s set) with(chars string) set {
	for i := range len(chars) {
		s[chars[i]>>6] |= 1 << (chars[i] & 63)
	}
	return s
}

// The percent-encode sets of the standard.
var (
	setC0           = set{1<<32 - 1, 0}
	setFragment     = setC0.with(" \"<>`")
	setQuery        = setC0.with(" \"#<>")
	setSpecialQuery = setQuery.with("'")
	setPath         = setQuery.with("?^`{}")
	setUserinfo     = setPath.with("/:;=@[\\]|")
	setComponent    = setUserinfo.with("$%&+,")
	setForm         = setComponent.with("!'()~")
)

const upperHex = "0123456789ABCDEF"

// encode appends s to b and encodes the bytes of the set.
func encode(b []byte, s string, enc *set) []byte {
	start := 0
	for i := range len(s) {
		c := s[i]
		if !enc.has(c) {
			continue
		}
		b = append(b, s[start:i]...)
		b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		start = i + 1
	}
	return append(b, s[start:]...)
}

// encoded returns s with the bytes of the set encoded, s itself when it has none.
func encoded(s string, enc *set) string {
	for i := range len(s) {
		if enc.has(s[i]) {
			return string(encode(make([]byte, 0, len(s)+16), s, enc))
		}
	}
	return s
}

// PercentEncodeComponent is the text of s as a part of a path, query or fragment: each byte but letters, digits and
// -_.!~*'() becomes %XX. JavaScript's encodeURIComponent gives the same for a well-formed string
// (https://url.spec.whatwg.org/#component-percent-encode-set).
func PercentEncodeComponent(s string) string { return encoded(s, &setComponent) }

func unhex(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// PercentDecode replaces %XX by its byte and leaves everything else, malformed escapes too
// (https://url.spec.whatwg.org/#percent-decode).
func PercentDecode(s string) string {
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	b = append(b, s[:i]...)
	for ; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, ok1 := unhex(s[i+1])
			lo, ok2 := unhex(s[i+2])
			if ok1 && ok2 {
				b = append(b, hi<<4|lo)
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}
