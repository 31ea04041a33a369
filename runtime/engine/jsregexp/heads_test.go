package jsregexp

import (
	"strings"
	"testing"
	"unicode/utf16"
)

// What a look ahead leaves out is no match: of these patterns each begins, goes on or ends where a character decides.
func TestHeads(t *testing.T) {
	for _, c := range []struct{ pattern, flags, text, want string }{
		{`^a|b`, "", "xb", "[[1,2]]"}, {`^(?:a|b)`, "", "xb", "null"}, {`(?:^a|^b)c`, "", "abc", "null"},
		{`^a`, "m", "b\na", "[[2,3]]"}, {`\b^a`, "", "ba", "null"}, {`(?=b)^b`, "", "ab", "null"},
		{`a*b`, "", "xaab", "[[1,4]]"}, {`\d*$`, "", "a12", "[[1,3]]"}, {`$`, "m", "a\n", "[[1,1]]"},
		{`(\S+)@(\S+)\.com`, "", "to a.b@c.d.com!", "[[3,14],[3,6],[7,10]]"},
		{`[ab]+?b`, "", "aabb", "[[0,3]]"}, {`[ab]+b`, "", "aabba", "[[0,4]]"}, {`(a|ab)(c|bcd)(d*)`, "", "abcd",
			"[[0,4],[0,1],[1,4],[4,4]]"},
		{`(?:a|b?)*c`, "", "abac", "[[0,4]]"}, {`(?:a?){2}b`, "", "b", "[[0,1]]"}, {`(?!ab)a`, "", "abac", "[[2,3]]"},
		{`\u212a`, "iu", "k", "[[0,1]]"}, {`[^\n]*\n`, "", "a\nb", "[[0,2]]"}, {`(?=a)\w+`, "", "ba", "[[1,2]]"},
		{`(?<=ab|c)d`, "", "cd", "[[1,2]]"}, {`(?:|a)b`, "", "ab", "[[0,2]]"}, {`abcd`, "", "ababcd", "[[2,6]]"},
		{`(?<=a(?=bcd)\w{3})\w`, "", "abcdef", "[[4,5]]"}, {`(?<=(?=abc)(?:ab){1,2}?)c`, "", "abc", "[[2,3]]"},
	} {
		units := func(s string) []uint16 { return utf16.Encode([]rune(s)) }
		if got := exec(units(c.pattern), units(c.flags), units(c.text)); got != c.want {
			t.Errorf("/%s/%s on %q: %s, want %s", c.pattern, c.flags, c.text, got, c.want)
		}
	}
}

// A match that goes over much of the text in few steps asks whether it must stop, too.
func TestStops(t *testing.T) {
	for _, pattern := range []string{`a*b`, `(?:a*)b`, `[ab]*?c`, `(a+)+b`, `(?=a*b).`, `(a|aa)*b`} {
		p, err := Compile(utf16.Encode([]rune(pattern)), Flags{})
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		text := []byte(strings.Repeat("a", 3_000) + "xbc")
		_, err = p.MatchASCII(text, 0, false, func() bool { asked++; return asked > 3 })
		if err != ErrStopped {
			t.Errorf("/%s/ ended with %v and asked %d times", pattern, err, asked)
		}
	}
}

// BenchmarkMatch matches what Markdown, routers, logs and form validation match.
func BenchmarkMatch(b *testing.B) {
	text := strings.Repeat("Some *text* with **words**, `code` and a [link](https://example.com/1), and more.\n", 40)
	for _, c := range []struct{ name, pattern, text string }{
		{"anchored", `^ {0,3}(#{1,6})(?=\s|$)(.*)(?:\n+|$)`, text},
		{"lines", `^(?:[^\n]*\n)*?\n`, text},
		{"literal", `<!--(?:[\s\S]*?)-->`, text},
		{"inline", `\[([^\]]*)\]\(([^)]*)\)`, text},
		{"log", `^(\d{4}-\d\d-\d\d)T\S+ \[(info|error)\] (\S+@\S+\.com) (GET|POST) (\/[^?]*)\?page=(\d+) (\d+)ms$`,
			"2026-04-01T10:00:00Z [error] user1@example.com GET /items/1?page=3 12ms"},
		{"mail", `^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`,
			"some.name+tag@mail.example.com"},
		{"uuid", `^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12})$`,
			"123e4567-e89b-12d3-a456-426614174000"},
	} {
		p, err := Compile(utf16.Encode([]rune(c.pattern)), Flags{})
		if err != nil {
			b.Fatal(err)
		}
		in := []byte(c.text)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.MatchASCII(in, 0, false, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
