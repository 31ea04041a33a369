package ecma

import (
	"testing"

	"github.com/dop251/goja"
)

func newEngine(t testing.TB) *Engine {
	t.Helper()
	e, err := Install(goja.New(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// eval runs a script the way a bundle runs: through Compile, strict unless sloppy.
func (e *Engine) eval(t testing.TB, name, src string, strict bool) (goja.Value, error) {
	t.Helper()
	p, err := Compile(name, src, strict)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return e.rt.RunProgram(p)
}

// each runs strict scripts, each in an engine of its own, and compares what they give as texts.
func each(t *testing.T, scripts map[string]string) {
	t.Helper()
	for js, want := range scripts {
		if v, err := newEngine(t).eval(t, "a.js", `"use strict"; `+js, true); err != nil || v.String() != want {
			t.Errorf("%s: %v, %v; want %s", js, v, err, want)
		}
	}
}
