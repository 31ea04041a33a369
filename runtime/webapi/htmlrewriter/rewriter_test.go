package htmlrewriter

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// on makes element handlers of Go functions.
func on(t testing.TB, selector string, element func(*Element), comments func(*Comment),
	text func(*Text)) ElementHandlers {
	t.Helper()
	sel, err := ParseSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	h := ElementHandlers{Selector: sel}
	if element != nil {
		h.Element = func(tok Token) { element(tok.(*Element)) }
	}
	if comments != nil {
		h.Comments = func(tok Token) { comments(tok.(*Comment)) }
	}
	if text != nil {
		h.Text = func(tok Token) { text(tok.(*Text)) }
	}
	return h
}

// rewrite drives a machine over input in pieces of size bytes. A stream is a []string of its chunks.
func rewrite(o Options, input string, size int) (string, error) {
	if o.Encoding == "" {
		o.Encoding = "utf-8"
	}
	r, err := New(o)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	drain := func() error {
		for {
			e, err := r.Next()
			if err != nil {
				return err
			}
			out.Write(r.Output())
			switch {
			case e == nil:
				return nil
			case e.Stream != nil:
				for _, chunk := range e.Stream.([]string) {
					if err := r.Insert([]byte(chunk)); err != nil {
						return err
					}
				}
				if err := r.InsertEnd(); err != nil {
					return err
				}
			default:
				e.Handler.(func(Token))(e.Token)
			}
		}
	}
	for len(input) > 0 {
		n := min(size, len(input))
		if err := r.Write([]byte(input[:n])); err != nil {
			return "", err
		}
		input = input[n:]
		if err := drain(); err != nil {
			return "", err
		}
	}
	r.End()
	if err := drain(); err != nil {
		return "", err
	}
	return out.String(), nil
}

func html(s string) Content { return Content{Text: s, HTML: true} }

func text(s string) Content { return Content{Text: s} }

// Each change stands in its place, in whatever pieces the input comes.
func TestChanges(t *testing.T) {
	for _, c := range []struct {
		name, selector, in, want string
		f                        func(*Element)
	}{
		{"before and after", "b", "x<b>y</b>z", "x&lt;1&gt;<2><b>y</b><4>3z", func(e *Element) {
			e.Before(text("<1>"))
			e.Before(html("<2>"))
			e.After(text("3"))
			e.After(html("<4>"))
		}},
		{"prepend and append", "b", "<b>y</b>", "<b>21y34</b>",
			func(e *Element) { e.Prepend(text("1")); e.Prepend(text("2")); e.Append(text("3")); e.Append(text("4")) }},
		{"replace", "b", "x<b>y<i>z</i></b>w", "x2w", func(e *Element) { e.Replace(text("1")); e.Replace(text("2")) }},
		{"remove", "b", "x<b>y<b>z</b></b>w", "xw", func(e *Element) { e.Remove() }},
		{"remove and after", "b", "x<b>y</b>w", "x12w",
			func(e *Element) { e.Before(text("1")); e.Remove(); e.After(text("2")) }},
		{"keep content", "b", "x<b>y<i>z</i></b>w", "xy<i>z</i>w", func(e *Element) { e.RemoveAndKeepContent() }},
		{"inner content", "b", "<b>y<i>z</i></b>", "<b>2</b>",
			func(e *Element) { e.Prepend(text("0")); e.SetInnerContent(text("1")); e.SetInnerContent(text("2")) }},
		{"inner content and append", "b", "<b>y</b>", "<b>13</b>",
			func(e *Element) { e.Append(text("0")); e.SetInnerContent(text("1")); e.Append(text("3")) }},
		{"void element", "br", "x<br>y", "x<br>2y", func(e *Element) {
			e.Prepend(text("0"))
			e.Append(text("1"))
			e.SetInnerContent(text("3"))
			e.After(text("2"))
		}},
		{"void replaced", "img", `<img src=a>`, "<p>", func(e *Element) { e.Replace(html("<p>")) }},
		{"attributes", "a", `<A  HREF='x"y' b = c d>`, `<a HREF='x"y' d e="&quot;">`,
			func(e *Element) { e.RemoveAttribute("B"); _ = e.SetAttribute("E", `"`) }},
		{"set to the same place", "a", `<a x=1 y=2>`, `<a x="3" y=2>`,
			func(e *Element) { _ = e.SetAttribute("x", "3") }},
		{"rename", "a", `<a x=1>y</a>`, `<p x=1>y</p>`, func(e *Element) { _ = e.SetTagName("p") }},
		{"self-closing", "circle", `<svg><circle r=1 /></svg>`, `<svg><circle r=1 x="" /></svg>`,
			func(e *Element) { _ = e.SetAttribute("x", "") }},
		{"streams", "b", "<b>y</b>", "<b>a&lt;é|<p>y</b>", func(e *Element) {
			e.Prepend(Content{Stream: []string{"<", "p>"}, HTML: true})
			e.Prepend(text("|"))
			e.Prepend(Content{Stream: []string{"a<", "\xc3", "\xa9"}})
		}},
		{"stream between", "b", "<b>y</b>", "<b>1S2y</b>", func(e *Element) {
			e.Prepend(text("2"))
			e.Prepend(Content{Stream: []string{"S"}})
			e.Prepend(text("1"))
		}},
		{"no end tag", "p", "<div><p>x<p>y</div>z", "<div><p>x<p>y++</div>z", func(e *Element) { e.Append(text("+")) }},
		{"removed without end tag", "p", "<div><p>x</div>z", "<div></div>z", func(e *Element) { e.Remove() }},
		{"removed to the end", "p", "a<p>x", "a", func(e *Element) { e.Remove() }},
		{"end tag", "b", "<b>x</b>", "<b>x1</i>2", func(e *Element) {
			_ = e.OnEndTag(func(tok Token) {
				end := tok.(*EndTag)
				end.Before(text("1"))
				end.After(text("2"))
				end.SetName("i")
			})
		}},
		{"end tag removed", "b", "<b>x</b>", "<b>x",
			func(e *Element) { _ = e.OnEndTag(func(tok Token) { tok.(*EndTag).Remove() }) }},
	} {
		for _, size := range []int{1, 2, 5, 1000} {
			got, err := rewrite(Options{Handlers: []any{on(t, c.selector, c.f, nil, nil)}}, c.in, size)
			if err != nil || got != c.want {
				t.Errorf("%s, in pieces of %d: %v\n got %s\nwant %s", c.name, size, err, got, c.want)
			}
		}
	}
}

func TestTextAndComments(t *testing.T) {
	var seen []string
	handlers := []any{
		on(t, "p", nil, func(c *Comment) {
			seen = append(seen, "comment "+c.Text())
			if err := c.SetText("a-->b"); err == nil {
				t.Error("a comment may hold its own end")
			}
			_ = c.SetText("new")
			c.Before(text("<"))
		}, func(x *Text) {
			seen = append(seen, fmt.Sprintf("text %q %v", x.Text(), x.Last()))
			if x.Last() {
				x.After(text("!"))
			}
		}),
		DocumentHandlers{Comments: func(tok Token) { seen = append(seen, "document "+tok.(*Comment).Text()) },
			Doctype: func(tok Token) {
				seen = append(seen, "doctype "+*tok.(*Doctype).Name()+*tok.(*Doctype).PublicID())
			},
			End: func(tok Token) { tok.(*DocumentEnd).Append(html("<end>")) }},
	}
	got, err := rewrite(Options{Handlers: handlers}, `<!DOCTYPE HTML PUBLIC "p"><!--x--><p>a<!--y-->b</p>c`, 1000)
	if want := `<!DOCTYPE HTML PUBLIC "p"><!--x--><p>a!&lt;<!--new-->b!</p>c<end>`; err != nil || got != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
	want := `doctype htmlp|document x|text "a" false|text "" true|comment y|document new|text "b" false|text "" true`
	if got := strings.Join(seen, "|"); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// What stands in raw text, CDATA, comments and attributes is no markup.
func TestWhereTagsAre(t *testing.T) {
	for in, want := range map[string]string{
		`<title><b></title><b>`:                           "title b",
		`<script><b></script><b>`:                         "script b",
		`<script><!--<script></script><b>--></script><b>`: "script b",
		`<script><!--</script><b>`:                        "script b",
		`<style></styl></style ><b>`:                      "style b",
		`<textarea></textarea x="</b>"><b>`:               "textarea b",
		`<plaintext><b></plaintext><b>`:                   "plaintext",
		`<!--<b>--><b>`:                                   "b",
		`<!--><b>--><i>`:                                  "b i",
		`<!-- --!><b>`:                                    "b",
		`<?x <b><i>`:                                      "i",
		`</ <b><i>`:                                       "i",
		`<svg><![CDATA[<b>]]><path></svg><b>`:             "svg path b",
		`<![CDATA[<b>]]><i>`:                              "i",
		`<a x='<b>' y="<i>" z=<u></a>`:                    "a",
		`a < b <= <c`:                                     "",
		`<b<i><u>`:                                        "b<i u",
		`<svg><title><b></title></svg>`:                   "svg title b",
		`<A/><a/ b=c/><br/>`:                              "a a br",
		`<svg><desc><script><b></script></desc><style><g></svg>`: "svg desc script style g",
	} {
		for _, size := range []int{1, 3, 1000} {
			var seen []string
			got, err := rewrite(
				Options{Handlers: []any{on(t, "*", func(e *Element) { seen = append(seen, e.TagName()) }, nil, nil)}},
				in, size)
			if err != nil || got != in {
				t.Errorf("%s in pieces of %d came out as %s, %v", in, size, got, err)
			}
			if got := strings.Join(seen, " "); got != want {
				t.Errorf("%s in pieces of %d: %q, want %q", in, size, got, want)
			}
		}
	}
}

func TestNamespaces(t *testing.T) {
	var seen []string
	short := map[string]string{namespaceHTML: "html", namespaceSVG: "svg", namespaceMathML: "math"}
	_, err := rewrite(
		Options{Handlers: []any{
			on(t, "*", func(e *Element) { seen = append(seen, e.TagName()+":"+short[e.NamespaceURI()]) }, nil, nil)}},
		`<p><svg><a /><foreignObject><p></p></foreignObject><g></svg><math><mi><b></b></mi><mrow></math><i>`, 7)
	want := "p:html svg:svg a:svg foreignobject:svg p:html g:svg math:math mi:math b:html mrow:math i:html"
	if got := strings.Join(seen, " "); err != nil || got != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
}

func TestEncodings(t *testing.T) {
	var seen []string
	handlers := []any{
		on(t, "p", func(e *Element) { v, _ := e.Attribute("x"); seen = append(seen, v); e.Append(text("é€ж")) }, nil,
			func(x *Text) { seen = append(seen, x.Text()) })}
	got, err := rewrite(Options{Encoding: "ISO-8859-1", Handlers: handlers}, "<p x=\xe9>\xe4</p>\xff", 1000)
	if want := "<p x=\xe9>\xe4\xe9\x80&#1078;</p>\xff"; err != nil || got != want || strings.Join(seen, "|") != "é|ä|" {
		t.Errorf("%v %q %q", err, got, seen)
	}
	// A character that is cut in two is shown whole.
	for label, in := range map[string]string{
		"utf-8": "<p>\xe6\x97\xa5</p>", "shift_jis": "<p>\x93\xfa</p>", "gbk": "<p>\xc8\xd5</p>"} {
		seen = nil
		_, err := rewrite(
			Options{Encoding: label,
				Handlers: []any{on(t, "p", nil, nil, func(x *Text) { seen = append(seen, x.Text()) })}}, in, 1)
		if err != nil || strings.Join(seen, "|") != "日|" {
			t.Errorf("%s: %v %q", label, err, seen)
		}
	}
	for label, want := range map[string]error{"nonsense": errEncoding, "utf-16": errNotASCII} {
		if _, err := rewrite(Options{Encoding: label}, "", 1); err == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v", label, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	_, err := rewrite(
		Options{Handlers: []any{
			on(t, "b", func(e *Element) { e.Prepend(Content{Stream: []string{"a\xe2(\xa1"}}) }, nil, nil)}}, "<b>", 10)
	if err == nil || err.Error() != "Invalid UTF-8" {
		t.Errorf("bad stream: %v", err)
	}
	if _, err := rewrite(Options{}, "<a x='"+strings.Repeat("x", maxPending+1<<17), 1<<16); err == nil ||
		err.Error() != errMemory.Error() {
		t.Errorf("endless attribute: %v", err)
	}
	if _, err := rewrite(Options{}, strings.Repeat("<a>", maxDepth+1), 1<<16); err == nil {
		t.Error("endless nesting is accepted")
	}
	e := &Element{}
	for _, err := range []error{
		e.SetTagName(""), e.SetTagName("1"), e.SetTagName("a b"), e.SetAttribute("", ""), e.SetAttribute("a=", ""),
		e.OnEndTag(nil)} {
		if err == nil {
			t.Error("accepted")
		}
	}
}

// Nothing changed, nothing altered: the output is the input, byte for byte, in any pieces, with handlers or without.
func FuzzPassThrough(f *testing.F) {
	for _, s := range []string{
		"<a b='c'>x</a>", "<!doctype x><!--a-->", "<script><!--<script>--></script>", "\xff<p>\xe6\x97",
		"<svg><![CDATA[x]]></svg>", "</", "<!", "<!-", "<a b"} {
		f.Add(s, 1)
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, in string, size int) {
		size = max(size%64, 1)
		quiet := func(*Text) {}
		handlers := []any{
			on(t, "*", func(*Element) {}, func(*Comment) {}, quiet),
			on(t, "p > :not(.a), [b^=c i] a", func(*Element) {}, nil, nil)}
		for _, h := range [][]any{nil, handlers} {
			got, err := rewrite(Options{Handlers: h}, in, size)
			if err != nil || got != in {
				t.Fatalf("in pieces of %d: %v\n in %q\nout %q", size, err, in, got)
			}
		}
		// The elements found do not depend on the pieces.
		var all, pieces []string
		list := func(to *[]string) Options {
			return Options{Handlers: []any{on(t, "*", func(e *Element) { *to = append(*to, e.TagName()) }, nil, nil)}}
		}
		if _, err := rewrite(list(&all), in, len(in)+1); err != nil {
			t.Fatal(err)
		}
		if _, err := rewrite(list(&pieces), in, size); err != nil {
			t.Fatal(err)
		}
		if strings.Join(all, " ") != strings.Join(pieces, " ") {
			t.Fatalf("%q: %v at once, %v in pieces of %d", in, all, pieces, size)
		}
	})
}

func BenchmarkRewrite(b *testing.B) {
	page := strings.Repeat(
		`<div class="a"><p>Some text here, as pages have it.</p><a href="/x">link</a><!-- c --></div>`+"\n", 1000)
	sel, err := ParseSelector("a[href]")
	if err != nil {
		b.Fatal(err)
	}
	handlers := []any{
		ElementHandlers{Selector: sel, Element: func(t Token) { _ = t.(*Element).SetAttribute("href", "/y") }}}
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rewrite(Options{Handlers: handlers}, page, 32<<10); err != nil {
			b.Fatal(err)
		}
	}
}
