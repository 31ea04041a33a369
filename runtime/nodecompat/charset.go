package nodecompat

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// charset is one of Buffer's encodings.
type charset int

const (
	charsetUTF8 charset = iota
	charsetUTF16
	charsetLatin1
	charsetASCII
	charsetBase64
	charsetBase64URL
	charsetHex
)

// charsets has every spelling, in lower case.
var charsets = map[string]charset{
	"utf8": charsetUTF8, "utf-8": charsetUTF8,
	"utf16le": charsetUTF16, "utf-16le": charsetUTF16, "ucs2": charsetUTF16, "ucs-2": charsetUTF16,
	"latin1": charsetLatin1, "binary": charsetLatin1, "ascii": charsetASCII,
	"base64": charsetBase64, "base64url": charsetBase64URL, "hex": charsetHex,
}

// charsetOf finds an encoding by its name in any case.
func charsetOf(name string) (charset, bool) {
	if c, ok := charsets[name]; ok {
		return c, true
	}
	c, ok := charsets[strings.ToLower(name)]
	return c, ok
}

// encode turns a string into bytes. As in Node, hex ends at the first character that is no digit, and base64 leaves out
// such characters.
func (c charset) encode(s goja.String) []byte {
	switch c {
	case charsetUTF8:
		return builtin.UTF8Bytes(s)
	case charsetUTF16:
		out := make([]byte, 2*s.Length())
		for i := range s.Length() {
			u := s.CharAt(i)
			out[2*i], out[2*i+1] = byte(u), byte(u>>8)
		}
		return out
	case charsetLatin1, charsetASCII:
		out := make([]byte, s.Length())
		for i := range out {
			out[i] = byte(s.CharAt(i))
		}
		return out
	case charsetHex:
		return decodeHex(builtin.UTF8(s))
	default:
		return decodeBase64(builtin.UTF8(s))
	}
}

func decodeHex(s string) []byte {
	out := make([]byte, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		hi, lo := hexDigit(s[i]), hexDigit(s[i+1])
		if hi < 0 || lo < 0 {
			break
		}
		out = append(out, byte(hi<<4|lo))
	}
	return out
}

func hexDigit(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'a' <= b && b <= 'f':
		return int(b-'a') + 10
	case 'A' <= b && b <= 'F':
		return int(b-'A') + 10
	}
	return -1
}

// base64Digits maps both alphabets; 0xff is no digit.
var base64Digits = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i := range len(alphabet) {
		t[alphabet[i]] = byte(i)
	}
	t['-'], t['_'] = 62, 63
	return t
}()

// decodeBase64 takes both alphabets, with or without padding, and skips everything that is no digit; a '=' ends it.
func decodeBase64(s string) []byte {
	if len(s)%4 == 0 {
		if out, err := base64.StdEncoding.Strict().DecodeString(s); err == nil {
			return out
		}
	}
	out := make([]byte, 0, len(s)*3/4)
	var acc uint32
	bits := 0
	for i := range len(s) {
		if s[i] == '=' {
			break
		}
		d := base64Digits[s[i]]
		if d == 0xff {
			continue
		}
		acc = acc<<6 | uint32(d)
		bits += 6
		if bits >= 8 {
			bits -= 8
			out = append(out, byte(acc>>bits))
		}
	}
	return out
}

// decode turns bytes into a string.
func (c charset) decode(rt *goja.Runtime, b []byte) goja.Value {
	switch c {
	case charsetUTF8:
		return rt.ToValue(validUTF8(b))
	case charsetUTF16:
		u := make([]uint16, len(b)/2)
		for i := range u {
			u[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
		}
		return goja.StringFromUTF16(u)
	case charsetLatin1:
		if isASCII(b) {
			return rt.ToValue(string(b))
		}
		u := make([]uint16, len(b))
		for i, x := range b {
			u[i] = uint16(x)
		}
		return goja.StringFromUTF16(u)
	case charsetASCII:
		out := make([]byte, len(b))
		for i, x := range b {
			out[i] = x & 0x7f
		}
		return rt.ToValue(string(out))
	case charsetBase64:
		return rt.ToValue(base64.StdEncoding.EncodeToString(b))
	case charsetBase64URL:
		return rt.ToValue(base64.RawURLEncoding.EncodeToString(b))
	default:
		return rt.ToValue(hex.EncodeToString(b))
	}
}

// byteLength is the length of encode's result, without making it where that is cheap.
func (c charset) byteLength(s goja.String) int {
	switch c {
	case charsetUTF16:
		return 2 * s.Length()
	case charsetLatin1, charsetASCII:
		return s.Length()
	case charsetHex:
		return s.Length() / 2
	case charsetBase64, charsetBase64URL:
		n := s.Length()
		for i := 0; i < 2 && n > 0 && s.CharAt(n-1) == '='; i++ {
			n--
		}
		return n * 3 / 4
	default:
		return builtin.UTF8Length(s)
	}
}

func isASCII(b []byte) bool {
	for _, x := range b {
		if x >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// validUTF8 decodes as the Encoding Standard does: one U+FFFD stands for the longest start of a character that went
// wrong, where Go's own decoder counts each byte.
func validUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b) + 8)
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r != utf8.RuneError || size > 1 {
			out.Write(b[:size])
		} else {
			out.WriteString("\uFFFD")
			size = truncated(b)
		}
		b = b[size:]
	}
	return out.String()
}

// truncated is how many bytes at the start of b are a well-formed start of a character that breaks off; at least 1.
func truncated(b []byte) int {
	need := sequenceLength(b[0])
	n := 1
	for n < need && n < len(b) && continues(b[0], n, b[n]) {
		n++
	}
	return n
}

// sequenceLength is the length that a lead byte announces, 0 for what is no lead byte.
func sequenceLength(lead byte) int {
	switch {
	case 0xC2 <= lead && lead <= 0xDF:
		return 2
	case 0xE0 <= lead && lead <= 0xEF:
		return 3
	case 0xF0 <= lead && lead <= 0xF4:
		return 4
	}
	return 0
}

// continues tells whether x can be byte number n of a character that starts with lead.
func continues(lead byte, n int, x byte) bool {
	lower, upper := byte(0x80), byte(0xBF)
	if n == 1 {
		switch lead {
		case 0xE0:
			lower = 0xA0
		case 0xED:
			upper = 0x9F
		case 0xF0:
			lower = 0x90
		case 0xF4:
			upper = 0x8F
		}
	}
	return lower <= x && x <= upper
}

// transcode changes the encoding of text; what the target lacks becomes '?'.
func transcode(b []byte, from, to charset) []byte {
	var text []rune
	switch from {
	case charsetUTF8:
		text = []rune(validUTF8(b))
	case charsetUTF16:
		u := make([]uint16, len(b)/2)
		for i := range u {
			u[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
		}
		text = utf16.Decode(u)
	default:
		text = make([]rune, len(b))
		for i, x := range b {
			text[i] = rune(x)
			if from == charsetASCII && x > 0x7f {
				text[i] = utf8.RuneError
			}
		}
	}
	switch to {
	case charsetUTF8:
		return []byte(string(text))
	case charsetUTF16:
		u := utf16.Encode(text)
		out := make([]byte, 2*len(u))
		for i, x := range u {
			out[2*i], out[2*i+1] = byte(x), byte(x>>8)
		}
		return out
	}
	limit := rune(0xff)
	if to == charsetASCII {
		limit = 0x7f
	}
	out := make([]byte, len(text))
	for i, r := range text {
		if r > limit {
			r = '?'
		}
		out[i] = byte(r)
	}
	return out
}
