package ecma

import (
	"os"
	"strings"
	"testing"
)

type gap struct{ src, want, have string }

func readGaps(t *testing.T) []gap {
	t.Helper()
	text, err := os.ReadFile("gaps.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []gap
	for _, block := range strings.Split(string(text), "\n-- ")[1:] {
		src, rest, _ := strings.Cut(block, "\nwant ")
		want, have, ok := strings.Cut(rest, "\nhave ")
		if !ok {
			t.Fatalf("gaps.txt: entry %q has no present result", src)
		}
		out = append(out, gap{src, want, strings.TrimRight(have, "\n")})
	}
	return out
}

// present runs a script as a statement list and gives its value, or its error, as text.
func present(t *testing.T, src string) string {
	t.Helper()
	e := newEngine(t)
	p, err := Compile("gap.js", src, false)
	if err != nil {
		return err.Error()
	}
	v, err := e.rt.RunProgram(p)
	if err != nil {
		return e.Failure(err).Text
	}
	return v.String()
}

func TestGaps(t *testing.T) {
	for _, g := range readGaps(t) {
		got := present(t, g.src)
		if got == g.want {
			t.Errorf("%s\nnow gives %q as V8 does: take it out of gaps.txt", g.src, got)
		} else if got != g.have {
			t.Errorf("%s\ngives %q, gaps.txt records %q", g.src, got, g.have)
		}
	}
}
