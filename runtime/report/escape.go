package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape shows a text that somebody else wrote (a body, a key, a name, a header) in one cell or line. Characters that a
// terminal would obey, that reorder letters or that end a line are written out as \n, \x1b or \u202e. All such texts go
// through here or through Lines before they are printed.
func Escape(s string) string { return escape(s, false) }

// Lines is Escape for a text that may have several lines, such as a stack or the output of console.log: line ends, tabs
// and the sequences that only colour (ESC [ … m) stay.
func Lines(s string) string { return escape(s, true) }

// EncodeJSON is v as JSON that means the same to programs and is harmless where a terminal shows it: what
// encoding/json leaves as it is and a terminal obeys is written as \u009b. indent is put before each level, "" for one
// line; a line end follows.
func EncodeJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	text := b.String()
	b.Reset()
	for _, r := range text {
		if r < 0x7f || !obeyed(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.Bytes(), nil
}

func escape(s string, lines bool) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case lines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case lines && r == 0x1b && colour(s[i:]) > 0:
			size = colour(s[i:])
			b.WriteString(s[i : i+size])
		case lines && r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case obeyed(r) && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case obeyed(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// obeyed are characters that a terminal acts upon instead of showing them: controls (C0, DEL, and C1, of which U+009B
// begins a sequence as ESC [ does), marks of direction, and separators of lines.
func obeyed(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags, which nothing shows
		return true
	}
	return false
}

// colour is the length of a sequence at the start of s that only colours, 0 for none.
func colour(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c >= '0' && c <= '9' || c == ';' || c == ':':
		default:
			return 0
		}
	}
	return 0
}
