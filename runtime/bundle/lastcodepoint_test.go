package bundle

import "testing"

// The highest code point, in every place where a string can stand.
func TestLastCodePoint(t *testing.T) {
	got := run(t, map[string]string{"index.js": script("lastcodepoint.js")})
	if want := `2 10 7 10ffff\u{10FFFF}22 1114111 true 25 1`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
