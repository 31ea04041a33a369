package assets

import "testing"

func TestPatterns(t *testing.T) {
	for _, c := range []struct{ pattern, target, template, want string }{
		{"/a/*", "/a/b/c", ":splat", "b/c"},
		{"/a/*", "/b", "", "no match"},
		{"/u/:id/x", "/u/7/x", "is :id", "is 7"},
		{"/u/:id/x", "/u/7/8/x", "", "no match"},
		{"/:it/:item", "/1/2", ":it-:item", "1-2"},
		{"/*/b/*", "/a/b/c", ":splat", "a"},
		{"/a.b", "/axb", "", "no match"},
		{"https://:sub.example.com/*", "https://www.example.com/p", ":sub :splat", "www p"},
		{"https://:sub.example.com/*", "https://a.b.example.com/p", "", "no match"},
	} {
		values, ok := newPattern(c.pattern).match(c.target)
		got := "no match"
		if ok {
			got = fill(c.template, values)
		}
		if got != c.want {
			t.Errorf("%s against %s: %q, want %q", c.pattern, c.target, got, c.want)
		}
	}
}
