package eventloop

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// owner is told of what its scope lost.
type owner func(error)

func (o owner) Lost(err error) { o(err) }

// What a script throws out of a turn is the script's, and no error of ours.
func TestThrownOutOfTurn(t *testing.T) {
	thrown := make(chan goja.Value, 1)
	l := newLoop(t, Options{Name: "t", Lost: func(_ *Scope, err error) { t.Error(err) },
		Thrown: func(v goja.Value) { thrown <- v }})
	l.Post(func() {
		f, err := l.Runtime().RunString(`() => { throw "mine" }`)
		if err != nil {
			t.Error(err)
		}
		call, _ := goja.AssertFunction(f)
		if _, err := call(goja.Undefined()); err != nil {
			panic(err)
		}
	})
	if v := <-thrown; v.String() != "mine" {
		t.Error(v)
	}
}

// A Go panic ends the turn it is in, names the scope that ran, wherever in it the code was called from, and leaves the
// loop usable.
func TestPanicEndsTurn(t *testing.T) {
	type report struct {
		scope *Scope
		err   error
	}
	var lost []report
	l := newLoop(t, Options{Name: "t", Lost: func(s *Scope, err error) { lost = append(lost, report{s, err}) }})
	var a *Scope
	told := 0
	if err := l.Do(context.Background(), func() {
		write := func(m map[string]int) { m["x"] = 1 }
		_ = l.Runtime().Set("fail", func() { write(nil) })
		a = l.NewScope(context.Background(), owner(func(error) { told++ }), nil)
	}); err != nil {
		t.Fatal(err)
	}
	turns := []struct {
		scope *Scope
		fn    func()
	}{
		{a, func() { _, _ = l.Runtime().RunString(`try { [1].forEach(() => fail()) } catch {}`) }},
		{a, func() { _, _ = l.Runtime().RunString(`Promise.resolve().then(fail)`) }},
		{a, func() { a.Promise(func() func() (goja.Value, goja.Value) { panic("off the loop") }) }},
		{a, func() { a.Request(func() func() (goja.Value, goja.Value) { panic("off the loop") }, nil) }},
		{nil, func() { panic("outside") }},
	}
	for _, x := range turns {
		n, done := len(lost), make(chan struct{})
		l.opts.Lost = func(s *Scope, err error) { lost = append(lost, report{s, err}); close(done) }
		l.Post(func() {
			if x.scope == nil {
				x.fn()
				return
			}
			x.scope.Run(x.fn)
		})
		<-done
		if len(lost) != n+1 || lost[n].scope != x.scope {
			t.Fatalf("turn %d: lost %v", n, lost)
		}
		var ie *InternalError
		if !errors.As(lost[n].err, &ie) || !strings.HasPrefix(ie.Error(), "internal error; reference = ") ||
			!strings.Contains(ie.Report(), ".go:") {
			t.Errorf("turn %d: %v", n, lost[n].err)
		}
	}
	if told != 4 {
		t.Errorf("the scope was told %d times", told)
	}
	if err := l.Do(context.Background(), func() {
		if v, err := l.Runtime().RunString(`1 + 1`); err != nil || v.ToInteger() != 2 {
			t.Errorf("afterwards: %v, %v", v, err)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
