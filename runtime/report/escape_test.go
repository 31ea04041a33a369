package report

import (
	"encoding/json"
	"maps"
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

// JSON shows nothing that a terminal obeys, and means what it meant.
func TestEncodeJSON(t *testing.T) {
	in := map[string]string{"a\u009bb": "x\x1b[2J\u202e\u2066\u2028\x7f\U000e0041é<茶"}
	b, err := EncodeJSON(in, "")
	want := `{"a\u009bb":"x\u001b[2J\u202e\u2066\u2028\u007f\udb40\udc41é<茶"}` + "\n"
	if err != nil || string(b) != want {
		t.Errorf("%s (%v), want %s", b, err, want)
	}
	var out map[string]string
	if err := json.Unmarshal(b, &out); err != nil || !maps.Equal(in, out) {
		t.Errorf("read back: %q %v", out, err)
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
		b, err := EncodeJSON(s, "")
		var back string
		if err != nil || strings.ContainsFunc(strings.TrimSuffix(string(b), "\n"), obeyed) ||
			json.Unmarshal(b, &back) != nil || utf8.ValidString(s) && back != s {
			t.Errorf("EncodeJSON(%q) = %q, %v", s, b, err)
		}
	})
}
