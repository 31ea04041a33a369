package lazyregexp

import (
	"regexp"
	"testing"
)

func TestNewCompilesInTests(t *testing.T) {
	if New("a+").re == nil {
		t.Error("a pattern is not compiled at once in a test")
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong pattern is not found in a test")
		}
	}()
	New("(")
}

func TestFirstUseCompiles(t *testing.T) {
	inTest = false
	defer func() { inTest = true }()
	r := New(`(\d+)-(\d+)`)
	if r.re != nil || r.String() != `(\d+)-(\d+)` {
		t.Fatalf("compiled before its first use, or another text: %q", r)
	}
	same := regexp.MustCompile(r.String())
	const text = "1-2, 30-4"
	if got, want := r.ReplaceAllString(text, "$2-$1"), same.ReplaceAllString(text, "$2-$1"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if r.re == nil || !r.MatchString(text) || r.FindString(text) != "1-2" {
		t.Error("the first use compiles")
	}
}
