// Package ecmatest runs scripts for the tests of the packages that make goja behave like V8. A test is a table of
// sources and of the text of their values; it reads like what one types into a console.
package ecmatest

import (
	"errors"
	"runtime/debug"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
)

// init: hundreds of small runtimes come one after the other. To collect at Go's own pace, made for a heap that lives
// long, takes up to half of the time.
func init() { debug.SetGCPercent(400) }

// Runner is one prepared runtime. It belongs to the test's goroutine.
type Runner struct {
	t       testing.TB
	Engine  *ecma.Engine
	Runtime *goja.Runtime
}

// New prepares a runtime.
func New(t testing.TB) *Runner {
	t.Helper()
	return With(t, ecma.Options{})
}

// With prepares a runtime with options.
func With(t testing.TB, o ecma.Options) *Runner {
	t.Helper()
	rt := goja.New()
	e, err := ecma.Install(rt, o)
	if err != nil {
		t.Fatal(err)
	}
	return &Runner{t: t, Engine: e, Runtime: rt}
}

// In is the same runtime for another test.
func (r *Runner) In(t testing.TB) *Runner {
	other := *r
	other.t = t
	return &other
}

// Run compiles and runs a script in the way of a bundle's script.
func (r *Runner) Run(name, source string, strict bool) (goja.Value, error) {
	r.t.Helper()
	p, err := ecma.Compile(name, source, strict)
	if err != nil {
		r.t.Fatalf("%s: %v", source, err)
	}
	return r.Runtime.RunProgram(p)
}

// Bench runs a script, whose value is a function, and calls it in a benchmark's loop.
func (r *Runner) Bench(b *testing.B, source string) {
	b.Helper()
	v, err := r.Run("bench.js", source, true)
	if err != nil {
		b.Fatal(err)
	}
	f, ok := goja.AssertFunction(v)
	if !ok {
		b.Fatal("not a function")
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f(goja.Undefined()); err != nil {
			b.Fatal(err)
		}
	}
}

// Eval runs a strict script and gives its last value as text, or what it throws: "TypeError: text".
func (r *Runner) Eval(source string) string {
	r.t.Helper()
	p, err := ecma.Compile("test.js", source, true)
	if err != nil {
		var syntax *goja.CompilerSyntaxError
		if errors.As(err, &syntax) {
			return "SyntaxError: " + syntax.Message
		}
		r.t.Fatalf("%s: %v", source, err)
	}
	v, err := r.Runtime.RunProgram(p)
	if err != nil {
		return r.Engine.Failure(err).Text
	}
	return v.String()
}

// Table lists sources and the texts of their values; each source runs in a runtime of its own.
type Table [][2]string

// Run runs all of a table.
func (c Table) Run(t *testing.T) {
	t.Helper()
	for _, row := range c {
		if got := New(t).Eval(row[0]); got != row[1] {
			t.Errorf("%s\n got %s\nwant %s", row[0], got, row[1])
		}
	}
}
