package report

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for in, want := range map[string][2]string{
		"tea":                     {"tea", "tea"},
		"Grüße, 茶 🍵":              {"Grüße, 茶 🍵", "Grüße, 茶 🍵"},
		"a\nb\r\nc\td":            {`a\nb\r\nc\td`, "a\nb\nc\td"},
		"\x1b[2J\x07":             {`\x1b[2J\x07`, `\x1b[2J\x07`},
		"\x1b[1;31mred\x1b[0m":    {`\x1b[1;31mred\x1b[0m`, "\x1b[1;31mred\x1b[0m"},
		"\u009b31mred":            {`\x9b31mred`, `\x9b31mred`},
		"gnp\u202etxt.exe\u2066":  {`gnp\u202etxt.exe\u2066`, `gnp\u202etxt.exe\u2066`},
		"one\u2028two\u0085three": {`one\u2028two\x85three`, `one\u2028two\x85three`},
		"\xff\xfe":                {`\xff\xfe`, `\xff\xfe`},
		"\x1b]0;title\x07":        {`\x1b]0;title\x07`, `\x1b]0;title\x07`},
		"\x1b[31":                 {`\x1b[31`, `\x1b[31`},
		"lone \r overwrites":      {`lone \r overwrites`, `lone \r overwrites`},
	} {
		if got := Escape(in); got != want[0] {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want[0])
		}
		if got := Lines(in); got != want[1] {
			t.Errorf("Lines(%q) = %q, want %q", in, got, want[1])
		}
	}
}

// FuzzEscape: whatever comes, nothing that a terminal obeys is left, and escaping twice changes nothing.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "a\x1b[31mb\x1b[0m", "\u009b\u202e\n\r\xff", "\x1b[\x1b[m", "\x1b[1\nm"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		one := Escape(s)
		if !utf8.ValidString(one) || Escape(one) != one || strings.ContainsFunc(one, obeyed) {
			t.Errorf("Escape(%q) = %q", s, one)
		}
		many := Lines(s)
		rest := strip(many)
		if !utf8.ValidString(many) || Lines(many) != many ||
			strings.ContainsFunc(rest, func(r rune) bool { return obeyed(r) && r != '\n' && r != '\t' }) {
			t.Errorf("Lines(%q) = %q", s, many)
		}
	})
}
