package webidl

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dop251/goja"
)

// A reaction's functions serve one then after the other: each is told its own promise, whatever the order in which they
// settle, those started inside one included, and whatever a script has made of Promise.
func TestThen(t *testing.T) {
	r := newRealm(t)
	var log []string
	note := func(name string) (func(goja.Value), func(goja.Value)) {
		return func(v goja.Value) { log = append(log, fmt.Sprint(name, " ", v)) },
			func(v goja.Value) { log = append(log, fmt.Sprint(name, " failed ", v)) }
	}
	if _, err := r.rt.RunString(`const settle = {};
			const make = (n) => new Promise((yes, no) => { settle[n] = { yes, no } });
		const a = make("a"), b = make("b"), c = make("c"), never = make("never");
			Promise.prototype.then = Promise.resolve = Promise = null`); err != nil {
		t.Fatal(err)
	}
	script := func(js string) goja.Value {
		v, err := r.rt.RunString(js)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, name := range []string{"a", "b", "never"} {
		yes, no := note(name)
		r.Then(script(name), yes, no)
	}
	script(`settle.b.no(2)`)
	r.Then(script("c"), func(v goja.Value) {
		log = append(log, fmt.Sprint("c ", v))
		yes, no := note("inner")
		r.Then(v, yes, no)
		r.Then(script("a"), yes, no)
	}, nil)
	script(`settle.c.yes(3)`)
	script(`settle.a.yes(1)`)
	r.Then(r.Rejected(goja.Null()), nil, nil)
	script(`0`)
	if want := []string{"b failed 2", "c 3", "inner 3", "a 1", "inner 1"}; !slices.Equal(log, want) {
		t.Errorf("got %q, want %q", log, want)
	}
}

func BenchmarkThen(b *testing.B) {
	r := NewRealm(goja.New())
	v := r.Resolved(goja.Undefined())
	run, _ := goja.AssertFunction(r.Function("run", func(goja.FunctionCall) goja.Value {
		r.Then(v, func(goja.Value) {}, nil)
		return nil
	}))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = run(nil)
	}
}
