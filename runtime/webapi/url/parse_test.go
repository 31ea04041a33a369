package url

import (
	"strings"
	"testing"
)

// https://url.spec.whatwg.org/#concept-basic-url-parser
func TestParse(t *testing.T) {
	for _, c := range []struct{ input, base, want string }{
		{"https://user:pa%20ss@EXAMPLE.com:443/a/./b/../c d?q='x'#f g", "",
			"https://user:pa%20ss@example.com/a/c%20d?q=%27x%27#f%20g"},
		{"  http:\\\\a\\b\\c  ", "", "http://a/b/c"},
		{"ht\ntp://a\t/b", "", "http://a/b"},
		{"//x/y", "https://a/b", "https://x/y"},
		{"../../x", "http://a/b/c/d", "http://a/x"},
		{"?q", "http://a/b#c", "http://a/b?q"},
		{"#z", "http://a/b?c#d", "http://a/b?c#z"},
		{"", "http://a/b?c#d", "http://a/b?c"},
		{"#z", "mailto:x", "mailto:x#z"},
		{"x", "mailto:x", "invalid"},
		{"foo", "", "invalid"},
		{"http:foo", "http://a/b/c", "http://a/b/foo"},
		{"http:foo", "https://a/b/c", "http://foo/"},
		{"file:///C|/a/../..", "", "file:///C:/"},
		{"file://localhost/x", "", "file:///x"},
		{"/x", "file:///C:/y", "file:///C:/x"},
		{"D:", "file:///C:/y", "d:"},
		{"D|/z", "file:///C:/y", "file:///D:/z"},
		{"file:c:\\foo", "", "file:///c:/foo"},
		{"file://C|/a", "", "file:///C:/a"},
		{"http://0x7f.1/", "", "http://127.0.0.1/"},
		{"http://256.1.1.1/", "", "invalid"},
		{"http://1.2.3.4.5/", "", "invalid"},
		{"http://a.0x/", "", "invalid"},
		{"http://4294967295", "", "http://255.255.255.255/"},
		{"http://4294967296", "", "invalid"},
		{"http://[::FFFF:1.2.3.4]:80", "", "http://[::ffff:102:304]/"},
		{"http://[1:0:0:2:0:0:0:3]", "", "http://[1:0:0:2::3]/"},
		{"http://[::1%eth0]", "", "invalid"},
		{"http://ex%41mple.com", "", "http://example.com/"},
		{"http://ex%zz", "", "invalid"},
		{"http://faß.ExAmPlE/", "", "http://xn--fa-hia.example/"},
		{"http://☕.example", "", "http://xn--53h.example/"},
		{"http://xn--a", "", "invalid"},
		{"http://a b", "", "invalid"},
		{"http://a:65536", "", "invalid"},
		{"http://a:0000080", "", "http://a/"},
		{"http://a:b", "", "invalid"},
		{"http://:80", "", "invalid"},
		{"http://u@", "", "invalid"},
		{"http://u@v:w@x/", "", "http://u%40v:w@x/"},
		{"http://a/%2e%2E/%2e/b", "", "http://a/b"},
		{"http://a/b/..", "", "http://a/"},
		{"http://a/b/.", "", "http://a/b/"},
		{"http://a/{^`|}", "", "http://a/%7B%5E%60|%7D"},
		{"non-special:/..//a", "", "non-special:/.//a"},
		{"non-special://%48/\\x", "", "non-special://%48/\\x"},
		{"web+demo:/.//not-a-host/", "", "web+demo:/.//not-a-host/"},
		{"data:a b ?c#d", "", "data:a b%20?c#d"},
		{"javascript:alert('é')", "", "javascript:alert('%C3%A9')"},
		{"blob:https://a/uuid", "", "blob:https://a/uuid"},
	} {
		u, err := Parse(c.input, c.base)
		got := "invalid"
		if err == nil {
			got = u.Href()
		}
		if got != c.want {
			t.Errorf("%q on %q\n got %s\nwant %s", c.input, c.base, got, c.want)
		}
	}
}

func TestOrigin(t *testing.T) {
	for in, want := range map[string]string{
		"https://u:p@a:444/x": "https://a:444", "blob:http://a/b": "http://a", "file:///x": "null",
		"data:x": "null", "blob:data:x": "null", "wss://a:443": "wss://a",
	} {
		u, err := Parse(in, "")
		if err != nil || u.Origin() != want {
			t.Errorf("%s: %v %v, want %s", in, u, err, want)
		}
	}
}

// Whatever Parse accepts it accepts again from its own text, with the same result.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"http://a/b?c#d", "file:///C|/x", "a:/.//b", "http://[::1]:8/", "data: x ", "//\xff"} {
		f.Add(s, "http://base/x/y")
	}
	f.Fuzz(func(t *testing.T, input, base string) {
		input, base = strings.ToValidUTF8(input, "\uFFFD"), strings.ToValidUTF8(base, "\uFFFD")
		u, err := Parse(input, base)
		if err != nil {
			return
		}
		again, err := Parse(u.Href(), "")
		if err != nil {
			t.Fatalf("%q on %q: %q does not parse", input, base, u.Href())
		}
		if again.Href() != u.Href() {
			t.Fatalf("%q on %q: %q becomes %q", input, base, u.Href(), again.Href())
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("https://www.example.com/a/b/c?x=1&y=2#frag", ""); err != nil {
			b.Fatal(err)
		}
	}
}

// Many dot segments on a long path take time in proportion to their number: the buffer is cut, never copied.
func BenchmarkDotSegments(b *testing.B) {
	in := "http://a" + strings.Repeat("/x", 100_000) + strings.Repeat("/..", 100_000)
	for b.Loop() {
		if u, err := Parse(in, ""); err != nil || u.Pathname() != "/" {
			b.Fatal(err)
		}
	}
}

// The address of a request is parsed into one piece, beside its parts that are no part of the text.
func TestParseAllocations(t *testing.T) {
	const address = "http://127.0.0.1:8787/path?n=1"
	if got := testing.AllocsPerRun(100, func() {
		if _, err := Parse(address, ""); err != nil {
			t.Fatal(err)
		}
	}); got > 3 {
		t.Errorf("%v allocations", got)
	}
}
