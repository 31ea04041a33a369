package bundle

import (
	"strings"
	"testing"
)

// kinds scans text and lists regular expressions as /…/, class bodies as C{ and object literals as O{.
func kinds(text string) string {
	s := newScanner(text)
	var out []string
	for {
		t := s.next()
		switch {
		case t.kind == tokenEOF:
			if s.unterminated {
				out = append(out, "cut")
			}
			return strings.Join(out, " ")
		case t.kind == tokenRegExp:
			out = append(out, s.textOf(t))
		case t.op == "{" && s.top().kind == bracketClass:
			out = append(out, "C{")
		case t.op == "{" && s.top().kind == bracketObject:
			out = append(out, "O{")
		}
	}
}

func TestScanner(t *testing.T) {
	tests := []struct{ text, want string }{
		{"a / b / c", ""},
		{"x = /a/g.test(y) / 2", "/a/g"},
		{"return /[/]\\/x/u", "/[/]\\/x/u"},
		{"a.return / b / c", ""},
		{"if (x) /re/.exec(y)", "/re/"},
		{"f(x) / y / z", ""},
		{"x[0] / y / z", ""},
		{"i++ / 2 / 3", ""},
		{"} /re/", "/re/"},
		{"x = { a: 1 } / 2 / 1", "O{"},
		{"`${/a/.source}` / 2 / 3", "/a/"},
		{"`a${`b${/c/}`}` + /d/", "/c/ /d/"},
		{"'\\'/' / \"\\\"/\" / 1", ""},
		{"/* /no/ */ 1 // /no/\n/yes/", ""},
		{"x = 1; // c\n/yes/", "/yes/"},
		{"for (const x of /a/[Symbol.matchAll]('a')) of / 2 / 3", "/a/"},
		{"class A {} class B extends f({ x: 1 }) {}", "C{ O{ C{"},
		{"class extends class {} {}", "C{ C{"},
		{"x = { class: 1, get: {} }", "O{ O{"},
		{"a.class = { b: 1 }", "O{"},
		{"class A { class() {} static class = {} }", "C{ O{"},
		{"switch (x) { case 1: { } default: { } }", ""},
		{"x ? {} : { a: {} }", "O{ O{ O{"},
		{"label: { }", ""},
		{"() => { } ; y = () => ({})", "O{"},
		{"a ?.5 : /x/", "/x/"},
		{"1..toString() / 2 / 0x1e-1 / 1e-5", ""},
		{"a?.b / c / d", ""},
		{"#x in y / 2 / 3", ""},
		{"if (a) {} else /x/", "/x/"},
		{"'open", "cut"},
		{"`open ${1}", "cut"},
		{"x = /open", "/open cut"},
		{"\\u{61}b / c / d", ""},
	}
	for _, test := range tests {
		if got := kinds(test.text); got != test.want {
			t.Errorf("%s: %q, want %q", test.text, got, test.want)
		}
	}
}

func FuzzScanner(f *testing.F) {
	f.Add("class A { get = /x/g; #p = `a${b}` } export { A as default }; import x, { y as z } from 'w';")
	f.Add("export * as \"a b\" from 'x' with { type: 'json' }; tag`\\u{}${1}`; import.meta; import(x)")
	f.Fuzz(func(t *testing.T, text string) {
		s := newScanner(text)
		for last := 0; ; {
			token := s.next()
			if token.kind == tokenEOF {
				break
			}
			if token.end <= token.start || token.start < last || token.end > len(text) && !s.unterminated {
				t.Fatalf("token %+v after offset %d", token, last)
			}
			last = token.end
		}
		// Whatever the text, the rewriter ends and keeps the lines.
		out, err := rewrite(text, rewriteOptions{strict: true, referrer: func(int) string { return "" }})
		if err == nil && strings.Count(out.text, "\n") < strings.Count(text, "\n") {
			t.Errorf("%d lines became %d", strings.Count(text, "\n"), strings.Count(out.text, "\n"))
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	text := strings.Repeat(
		"class A { get = /x/g; m(x) { return `a${x}` + [1, 2].map((v) => v / 2).join(\", \"); } }\n", 1000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s := newScanner(text)
		for s.next().kind != tokenEOF {
		}
	}
}
