// Package webapitest runs JavaScript against web APIs in tests: an isolate with nothing but what the test installs,
// on a virtual clock.
package webapitest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// Runner is one isolate of a test.
type Runner struct {
	T     testing.TB
	Loop  *eventloop.Loop
	Host  *host.Host
	Clock *clock.Virtual
	Scope *eventloop.Scope
	// Uncaught collects what was thrown where nobody caught it.
	Uncaught []string
	// Logs collects console output as "level: text".
	Logs []string
}

// New makes an isolate and calls the install functions on its loop.
func New(t testing.TB, install ...func(*host.Host)) *Runner {
	t.Helper()
	r := &Runner{T: t, Clock: clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), 1)}
	r.Loop = eventloop.New(eventloop.Options{Name: t.Name(), Clock: r.Clock})
	t.Cleanup(r.Loop.Stop)
	r.on(func() {
		r.Host = &host.Host{
			Loop: r.Loop, Realm: webidl.NewRealm(r.Loop.Runtime()),
			Uncaught: func(v goja.Value) { r.Uncaught = append(r.Uncaught, v.String()) },
			Log:      func(e host.ConsoleLine) { r.Logs = append(r.Logs, string(e.Level)+": "+e.Text) },
		}
		for _, f := range install {
			f(r.Host)
		}
		r.Scope = r.Loop.NewScope(context.Background(), nil, nil)
	})
	return r
}

func (r *Runner) on(f func()) {
	r.T.Helper()
	if err := r.Loop.Do(context.Background(), f); err != nil {
		r.T.Fatal(err)
	}
}

// On runs f on the loop, inside the runner's scope.
func (r *Runner) On(f func()) { r.T.Helper(); r.on(func() { r.Scope.Run(f) }) }

// Eval runs the body of an async function and gives back what it returned, as String(value). A thrown value comes
// back as "throws <Name>: <message>". It fails the test when the promise is still pending once nothing is left to
// happen.
func (r *Runner) Eval(body string) string {
	r.T.Helper()
	var out string
	settled := make(chan struct{})
	hold := r.Clock.Hold("a script of a test")
	r.On(func() {
		v, err := r.Loop.Runtime().RunScript("test.js", "(async () => {"+body+"\n})()")
		if err != nil {
			out = "throws " + err.Error()
			close(settled)
			return
		}
		r.Host.Realm.Then(v, func(v goja.Value) {
			out = v.String()
			close(settled)
		}, func(v goja.Value) {
			out = "throws " + describe(v)
			close(settled)
		})
	})
	hold()
	idle := make(chan struct{})
	go func() { _ = r.Clock.WaitIdle(context.Background()); close(idle) }()
	select {
	case <-settled:
	case <-idle:
		r.on(func() {})
		select {
		case <-settled:
		default:
			r.T.Fatalf("nothing left to happen, and the promise is still pending:\n%s", body)
		}
	}
	return out
}

func describe(v goja.Value) string {
	obj, ok := v.(*goja.Object)
	if !ok {
		return v.String()
	}
	name, message := obj.Get("name"), obj.Get("message")
	if name == nil || message == nil {
		return v.String()
	}
	return fmt.Sprintf("%s: %s", name, message)
}

// Expect evaluates body and compares.
func (r *Runner) Expect(body, want string) {
	r.T.Helper()
	if got := r.Eval(body); got != want {
		r.T.Errorf("%s\n got: %s\nwant: %s", body, got, want)
	}
}
