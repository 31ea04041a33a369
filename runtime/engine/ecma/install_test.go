package ecma

import (
	"errors"
	"testing"

	"github.com/dop251/goja"
)

func BenchmarkInstall(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Install(goja.New(), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewError(b *testing.B) {
	e := newEngine(b)
	p, err := Compile(
		"bench.js", "function f(){ return new Error('x') }; (function(){ for (let i = 0; i < 1000; i++) f() })", true)
	if err != nil {
		b.Fatal(err)
	}
	v, err := e.rt.RunProgram(p)
	if err != nil {
		b.Fatal(err)
	}
	f, _ := goja.AssertFunction(v)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f(goja.Undefined()); err != nil {
			b.Fatal(err)
		}
	}
}

// call runs a script function in a benchmark's loop.
func call(b *testing.B, v goja.Value) {
	b.Helper()
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

// TestNoGoError: no global tells which engine runs, and Go's errors can still be thrown.
func TestNoGoError(t *testing.T) {
	rt := goja.New()
	if _, err := Install(rt, Options{}); err != nil {
		t.Fatal(err)
	}
	_ = rt.Set("fail", func() { panic(rt.NewGoError(errors.New("on disk"))) })
	v, err := rt.RunString(`typeof GoError + (() => { try { fail() } catch (e) { return ":" + e.message } })()`)
	if err != nil || v.String() != "undefined:on disk" {
		t.Errorf("got %v, %v", v, err)
	}
}
