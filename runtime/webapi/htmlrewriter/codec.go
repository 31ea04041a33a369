package htmlrewriter

import (
	"errors"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

var (
	// These are the platform's texts.
	errEncoding = errors.New("Unknown character encoding has been provided.")
	errNotASCII = errors.New("Expected ASCII-compatible encoding.")
)

// codec converts between the document's encoding and UTF-8.
type codec struct {
	enc encoding.Encoding // nil is UTF-8
}

// newCodec finds an encoding by its label (https://encoding.spec.whatwg.org/#names-and-labels).
func newCodec(label string) (codec, error) {
	enc, err := htmlindex.Get(label)
	if err != nil {
		return codec{}, errEncoding
	}
	name, err := htmlindex.Name(enc)
	if err != nil {
		return codec{}, errEncoding
	}
	switch name {
	case "utf-8":
		return codec{}, nil
	case "utf-16be", "utf-16le", "iso-2022-jp", "replacement":
		return codec{}, errNotASCII
	}
	return codec{enc}, nil
}

// decode makes text of bytes; malformed bytes become U+FFFD.
func (c codec) decode(b []byte) string {
	if c.enc == nil {
		if utf8.Valid(b) {
			return string(b)
		}
		out := make([]rune, 0, len(b))
		for len(b) > 0 {
			r, n := utf8.DecodeRune(b)
			out = append(out, r)
			b = b[n:]
		}
		return string(out)
	}
	out, err := c.enc.NewDecoder().Bytes(b)
	if err != nil {
		return string(utf8.RuneError)
	}
	return string(out)
}

// encode makes bytes of text; a character that the encoding lacks becomes a character reference.
func (c codec) encode(s string) []byte {
	if c.enc == nil {
		return []byte(s)
	}
	out, err := encoding.HTMLEscapeUnsupported(c.enc.NewEncoder()).Bytes([]byte(s))
	if err != nil {
		return []byte(s)
	}
	return out
}

// whole is how many bytes of b are whole characters.
func (c codec) whole(b []byte) int {
	if c.enc == nil {
		for n := 1; n <= min(3, len(b)); n++ {
			tail := b[len(b)-n:]
			if utf8.RuneStart(tail[0]) {
				if !utf8.FullRune(tail) {
					return len(b) - n
				}
				break
			}
		}
		return len(b)
	}
	dst := make([]byte, 4*len(b)+16)
	_, n, err := c.enc.NewDecoder().Transform(dst, b, false)
	if errors.Is(err, transform.ErrShortSrc) {
		return n
	}
	return len(b)
}
