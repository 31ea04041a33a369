package v8text_test

import (
	"errors"
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

func TestFailure(t *testing.T) {
	for _, c := range []struct{ src, text, stack string }{
		{`const o = {}; o.foo()`, "TypeError: o.foo is not a function",
			"TypeError: o.foo is not a function\n    at f.js:1:17"},
		{`throw "s"`, "s", "s"},
		{`(function f() { f() })()`, "RangeError: Maximum call stack size exceeded", ""},
	} {
		e := ecmatest.New(t)
		_, err := e.Run("f.js", c.src, true)
		f := e.Engine.Failure(err)
		if f.Text != c.text || c.stack != "" && f.Stack != c.stack {
			t.Errorf("%s\n got %q\n     %q", c.src, f.Text, f.Stack)
		}
		if c.stack == "" && len(f.Frames) != 10 {
			t.Errorf("%s: %d frames", c.src, len(f.Frames))
		}
	}
	e := ecmatest.New(t)
	if f := e.Engine.Failure(errors.New("disk full")); f.Text != "disk full" || f.Value != nil {
		t.Errorf("a Go error: %+v", f)
	}
	interruptOnStart(t, e)
	_, err := e.Run("f.js", `started(); for (;;) {}`, true)
	if f := e.Engine.Failure(err); f.Interrupted != "cpu" {
		t.Errorf("interrupted: %+v", f)
	}
}

// A pattern that backtracks without end stops with the runtime's interrupt.
func TestRegExpInterrupt(t *testing.T) {
	e := ecmatest.New(t)
	interruptOnStart(t, e)
	_, err := e.Run(
		"f.js",
		`started(); /^(?:\w+\s?)+$/u.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"); for (;;) {}`,
		true,
	)
	if f := e.Engine.Failure(err); f.Interrupted != "cpu" && f.Text != "Error: Script execution was interrupted" {
		t.Errorf("%+v", f)
	}
}

// interruptOnStart gives scripts a function that has another goroutine interrupt the runtime, now that it surely runs.
func interruptOnStart(t *testing.T, e *ecmatest.Runner) {
	t.Helper()
	running := make(chan struct{})
	if err := e.Runtime.Set("started", func() { close(running) }); err != nil {
		t.Fatal(err)
	}
	go func() {
		<-running
		e.Runtime.Interrupt("cpu")
	}()
}
