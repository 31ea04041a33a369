package jsregexp

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

// What is looked for before a pattern is tried is in each match, at the distance that the pattern allows; where a
// match begins is told by its first two characters, by lines and by what is left of the text.
func TestNeeds(t *testing.T) {
	for _, c := range []struct{ pattern, flags, text, want string }{
		{`(^|[^\\:])//.*`, "", "a://b c//d", "[[6,10],[6,7]]"}, {`(^|[^:])//`, "", "//", "[[0,2],[0,0]]"},
		{`(?:^|x)(?:\\{2})*~`, "", `a~x\\\\~`, "[[2,8]]"}, {`[ab]?zq|xq?j`, "", "azxxqj", "[[3,6]]"},
		{`\w+@\w+`, "", "a b c@d", "[[4,7]]"}, {`\w+@\w+`, "", "a b c", "null"}, {`e.?z`, "", "eexz", "[[1,4]]"},
		{`zebra`, "i", "a ZebRa", "[[2,7]]"}, {`k`, "iu", "\u212a", "[[0,1]]"}, {`[ß]`, "i", "aẞß", "[[2,3]]"},
		{`ẞ`, "iu", "ß", "[[0,1]]"}, {`\u0390`, "iu", "\u1fd3", "[[0,1]]"}, {`ſ`, "iu", "S", "[[0,1]]"},
		{`ſ`, "i", "Ss", "null"}, {`[^k]`, "iu", "kK\u212ax", "[[3,4]]"}, {`\u{1f600}?z`, "u", "a😀z", "[[1,4]]"},
		{`.z`, "u", "\U0001f600z", "[[0,3]]"}, {`.?z`, "u", "\U0001f600z", "[[0,3]]"},
		{`[^]{2}z`, "", "\U0001f600z", "[[0,3]]"},
		{`^b`, "m", "ab\r\nb", "[[4,5]]"}, {`^b|^c`, "m", "a\u2028c", "[[2,3]]"}, {`^$`, "m", "a\n\nb", "[[2,2]]"},
		{`^`, "m", "", "[[0,0]]"}, {`(?:a?){3}a{3}`, "", "aaa", "[[0,3]]"}, {`(?:a{2}){2,}b`, "", "aaaab", "[[0,5]]"},
		{`(?:a{2}){2}?a`, "", "aaaa", "null"}, {`(a|b){2}\1`, "", "abb", "[[0,3],[1,2]]"},
		{`(?=abc)a`, "", "ababc", "[[2,3]]"},
		{`(?<=a{2}b)c`, "", "aabc", "[[3,4]]"}, {`(?<=(?:ab){2})c`, "", "ababc", "[[4,5]]"},
		{`[ab]$|x`, "", "ba", "[[1,2]]"},
		{`a(?:b|$)`, "", "aca", "[[2,3]]"}, {`a{1,2}b`, "", "acaab", "[[2,5]]"}, {`a??b?c`, "", "abacbc", "[[2,4]]"},
		{`(?:ab|a)(?!c)`, "", "acab", "[[2,4]]"}, {`a\b`, "", "aba", "[[2,3]]"}, {`[]z`, "", "z", "null"},
		{`é?z`, "", "a\u00e9z", "[[1,3]]"}, {`(?:a|.)+?(?:ä|\u{e7})`, "", "aaaa", "null"},
		{`(?:ä|b)c`, "", "bc", "[[0,2]]"}, {`ä?c`, "", "c", "[[0,1]]"}, {`(?:a|.)+?ä`, "", "aä", "[[0,2]]"},
		{`[\u00e0-\u00ff]\d`, "", "e1\u00e91", "[[2,4]]"},
	} {
		units := func(s string) []uint16 { return utf16.Encode([]rune(s)) }
		if got := exec(units(c.pattern), units(c.flags), units(c.text)); got != c.want {
			t.Errorf("/%s/%s on %q: %s, want %s", c.pattern, c.flags, c.text, got, c.want)
		}
	}
}

// Texts in which nothing matches are gone over once, and patterns whose rest needs more than is left are not tried.
func TestNoMatchIsQuick(t *testing.T) {
	for _, c := range []struct{ pattern, text string }{
		{`(?:a?){20}a{20}b?`, strings.Repeat("a", 19)},
		{`(?:a?){20}a{20}`, strings.Repeat("a", 20)},
		{`(.*)(.*)(.*)(.*)(.*)z`, strings.Repeat("a", 1<<16)},
		{`(a+)+b`, strings.Repeat("a", 1<<16)},
		{`(^|[^\\])\/\*[^]*?(?:\*\/|$)`, strings.Repeat("a/ ", 1<<16)},
		{`(?:a|.{0,2}?)+?\u00e4`, strings.Repeat("a", 1<<10)},
		{`^\s*x`, strings.Repeat(" ", 1<<16)},
	} {
		p, err := Compile(utf16.Encode([]rune(c.pattern)), Flags{Multiline: c.pattern[0] == '^'})
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		if _, err = p.MatchASCII([]byte(c.text), 0, false, func() bool { asked++; return asked > 1 }); err != nil {
			t.Errorf("/%s/ ended with %v", c.pattern, err)
		}
	}
}

// A pattern that is tried with and without what is known of its matches has the same ones.
func TestNeedsLeaveOutOnlyWhatFails(t *testing.T) {
	texts := []string{"", "a", "ab//c\nd://e\r\n//", "xxzyZ\u212akK", "a\U0001f600z\u00e9z\U0001f600",
		"aabbab b-a_b\n\nb",
		strings.Repeat("ab", 20) + "z//"}
	pieces := []string{"a", "b", "[ab]", "//", "z", "^", "$", "\\b", "(?:^|a)", "(?:a|bz|)", ".", "[^b]", "\u00e9",
		"(?=b)", "(?!a)", "(?<=a)", "(a)\\1", "K"}
	repeats := []string{"", "", "", "*", "+?", "{2}", "{1,2}?", "{2,}"}
	n := uint32(1)
	pick := func(list []string) string {
		n = n*1664525 + 1013904223
		return list[int(n>>8)%len(list)]
	}
	for range 500 {
		pattern := ""
		for range 1 + n>>8%4 {
			piece := "(?:" + pick(pieces) + ")" + pick(repeats)
			if n>>10%5 == 0 {
				piece += "|"
			}
			pattern += piece
		}
		var f Flags
		n = n*1664525 + 1013904223
		f.IgnoreCase, f.Multiline, f.Unicode = n>>12&3 == 0, n>>14&3 == 0, n>>16&3 == 0
		p, err := Compile(utf16.Encode([]rune(pattern)), f)
		if err != nil {
			t.Fatal(pattern, err)
		}
		bare := *p
		bare.need, bare.lines, bare.second, bare.start, bare.first, bare.text = nil, false, nil, nil, nil, nil
		bare.code = append([]inst(nil), p.code...)
		for i := range bare.code {
			bare.code[i].ahead, bare.code[i].other, bare.code[i].whole = nil, nil, false
		}
		for _, text := range texts {
			u := utf16.Encode([]rune(text))
			for at := 0; at <= len(u); at += 1 + len(u)/3 {
				got, err := p.MatchUTF16(u, at, false, nil)
				want, fault := bare.MatchUTF16(u, at, false, nil)
				if fmt.Sprint(got, err) != fmt.Sprint(want, fault) {
					t.Fatalf("/%s/%s on %q from %d: %v, without a look ahead %v", pattern, f, text, at, got, want)
				}
			}
		}
	}
}
