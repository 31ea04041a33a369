package htmlrewriter

import (
	"strings"
	"testing"
)

func TestSelectors(t *testing.T) {
	const page = `<html><body class="x Y"><div id=d1><p class="a b">1</p><p lang=en-US data-x="Abc">2</p><div><p ` +
		`id="é">3</p></div></div><span></span><p>4</p></body></html>`
	for _, c := range []struct{ selector, want string }{
		{"p", "p p p p"},
		{"*", "html body div p p div p span p"},
		{"P.a.b", "p"},
		{".c", ""},
		{".y", ""},
		{"#d1 > p", "p p"},
		{"#d1 p", "p p p"},
		{"html > p", ""},
		{"html p", "p p p p"},
		{"body>div>div p", "p"},
		{"div > div, span", "div span"},
		{"[lang]", "p"},
		{`[lang|="en"]`, "p"},
		{`[data-x="abc"]`, ""},
		{`[data-x="abc" i]`, "p"},
		{`[data-x^=A][data-x$='c'][data-x*="b"]`, "p"},
		{`[class~=b]`, "p"},
		{`[class^=""]`, ""},
		{"p:first-child", "p p"},
		{"p:nth-child(2)", "p"},
		{"p:nth-child(2n+1)", "p p p"},
		{"p:nth-of-type(2)", "p"},
		{"p:first-of-type", "p p p"},
		{":not(p)", "html body div div span"},
		{"p:not(.a, [lang])", "p p"},
		{`#\e9`, "p"},
		{`#é`, "p"},
		{"div div p, div > p", "p p p"},
	} {
		var seen []string
		if _, err := rewrite(
			Options{Handlers: []any{
				on(t, c.selector, func(e *Element) { seen = append(seen, e.TagName()) }, nil, nil)}}, page,
			1000); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(seen, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.selector, got, c.want)
		}
	}
}

func TestSelectorRefusals(t *testing.T) {
	for selector, want := range map[string]error{
		"": errEmptySelector, "a,": errEmptySelector, "a >": errDangling, "> a": errSelectorToken,
		"a + b": errPlusCombinator,
		"a ~ b": errTildeCombinator, "a:hover": errPseudo, "a::before": errPseudo, "a:not()": errEmptyNegation,
		"a:not(:not(b))": errNestedNegation, "svg|a": errNamespace, "*|a": errNamespace, ".1": errClassName,
		"[":  errAttributeName,
		"[a": errSelectorEnd, "[a?]": errAttributeToken, "[a=]": errAttributeToken, "a:nth-child(x)": errSelectorToken,
		"a!": errSelectorToken,
	} {
		if _, err := ParseSelector(selector); err == nil || err.Error() != want.Error() {
			t.Errorf("%q: %v, want %v", selector, err, want)
		}
	}
}

func FuzzSelector(f *testing.F) {
	for _, s := range []string{"a > b.c#d[e^='f' i]:not(g):nth-child(2n+1), *", `\`, "[a=\"\\", ":not(", "a\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		sel, err := ParseSelector(s)
		if err != nil {
			return
		}
		_ = sel.matches(&subject{name: "a", index: 1, typeIndex: 1}, []openElement{{subject: subject{name: "b"}}})
	})
}
