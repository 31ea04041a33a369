package jsregexp

import (
	"testing"
	"unicode/utf16"
)

// Any pattern compiles or is refused, and any match ends; bounds lie in the text.
func FuzzMatch(f *testing.F) {
	for _, s := range [][3]string{
		{`(a+)+b`, "", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaac"}, {`(?<=(a|b)*)c`, "u", "abc"}, {`[\p{L}--[a-z]]`, "v", "Äa"},
		{`(?i:x)\k<n>(?<n>.)`, "s", "X"}, {`\u{1F600}{2,}?`, "iu", "😀😀"}, {`(?:a?){0,999}`, "", "aaa"}} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, pattern, flags, text string) {
		fl, ok := ParseFlags(flags)
		if !ok || len(pattern) > 200 || len(text) > 200 {
			return
		}
		p, err := Compile(utf16.Encode([]rune(pattern)), fl)
		if err != nil {
			return
		}
		asked := 0
		u := utf16.Encode([]rune(text))
		caps, err := p.MatchUTF16(u, 0, fl.Sticky, func() bool { asked++; return asked > 20 })
		if err != nil {
			return
		}
		for i := 0; i < len(caps); i += 2 {
			if caps[i] > caps[i+1] || int(caps[i+1]) > len(u) || (caps[i] < 0) != (caps[i+1] < 0) {
				t.Fatalf("/%s/%s on %q: %v", pattern, flags, text, caps)
			}
		}
	})
}
