package ecma

import (
	"errors"
	"testing"
)

func TestFailure(t *testing.T) {
	for _, c := range []struct{ src, text, stack string }{
		{`const o = {}; o.foo()`, "TypeError: o.foo is not a function",
			"TypeError: o.foo is not a function\n    at f.js:1:17"},
		{`throw "s"`, "s", "s"},
		{`(function f() { f() })()`, "RangeError: Maximum call stack size exceeded", ""},
	} {
		e := newEngine(t)
		_, err := e.eval(t, "f.js", c.src, true)
		f := e.Failure(err)
		if f.Text != c.text || c.stack != "" && f.Stack != c.stack {
			t.Errorf("%s\n got %q\n     %q", c.src, f.Text, f.Stack)
		}
		if c.stack == "" && len(f.Frames) != 10 {
			t.Errorf("%s: %d frames", c.src, len(f.Frames))
		}
	}
	e := newEngine(t)
	if f := e.Failure(errors.New("disk full")); f.Text != "disk full" || f.Value != nil {
		t.Errorf("a Go error: %+v", f)
	}
	interruptOnStart(t, e)
	_, err := e.eval(t, "f.js", `started(); for (;;) {}`, true)
	if f := e.Failure(err); f.Interrupted != "cpu" {
		t.Errorf("interrupted: %+v", f)
	}
}

// A pattern that backtracks without end stops with the runtime's interrupt.
func TestRegExpInterrupt(t *testing.T) {
	e := newEngine(t)
	interruptOnStart(t, e)
	_, err := e.eval(
		t, "f.js", `started(); /^(?:\w+\s?)+$/u.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"); for (;;) {}`,
		true)
	if f := e.Failure(err); f.Interrupted != "cpu" && f.Text != "Error: Script execution was interrupted" {
		t.Errorf("%+v", f)
	}
}

// interruptOnStart gives scripts a function that has another goroutine interrupt the runtime, now that it surely runs.
func interruptOnStart(t *testing.T, e *Engine) {
	t.Helper()
	running := make(chan struct{})
	if err := e.rt.Set("started", func() { close(running) }); err != nil {
		t.Fatal(err)
	}
	go func() {
		<-running
		e.rt.Interrupt("cpu")
	}()
}
