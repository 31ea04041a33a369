package worker

import (
	"context"
	"errors"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// Scheduled is a cron event.
type Scheduled struct {
	// Cron is the expression that fired, "" when sent by hand without one (DEV7).
	Cron string
	Time time.Time
	// Ended is called once with the outcome; failure is nil on success.
	Ended func(failure *Exception, err error)

	failure *Exception
}

type controller struct{ event *Scheduled }

// Kind implements [Event].
func (s *Scheduled) Kind() string { return "scheduled" }

// Run implements [Event].
func (s *Scheduled) Run(inv *Invocation) goja.Value {
	h, ok := inv.Handler("scheduled")
	if !ok {
		if r, handled := inv.Isolate.dispatchLegacy(inv, "scheduled", s); handled {
			return r
		}
		inv.Isolate.Realm.ThrowError("Error", "Handler does not export a scheduled() function.")
	}
	return h.Call(inv, inv.Isolate.scheduledController(s))
}

// scheduledController is the ScheduledController object (DEV7): own cron and scheduledTime, method noRetry.
func (iso *Isolate) scheduledController(s *Scheduled) *goja.Object {
	type key struct{}
	class, ok := iso.Value(key{}).(*webidl.Interface)
	if !ok {
		class = iso.Realm.Define(webidl.Spec{Name: "ScheduledController", Members: []webidl.Member{
			webidl.Method("noRetry", func(*controller, *webidl.Call) goja.Value { return nil }),
		}})
		iso.SetValue(key{}, class)
	}
	obj := class.Wrap(&controller{s})
	rt := iso.Runtime()
	_ = obj.DefineDataProperty(
		"scheduledTime", rt.ToValue(s.Time.UnixMilli()), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	_ = obj.DefineDataProperty("cron", rt.ToValue(s.Cron), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	return obj
}

// Settle implements [Event].
func (s *Scheduled) Settle(inv *Invocation, _, failure goja.Value) {
	if failure != nil {
		s.failure = inv.Isolate.Exception(failure)
		inv.Isolate.Uncaught(failure)
	}
}

// Done implements [Event].
func (s *Scheduled) Done(_ *Invocation, err error) {
	if s.Ended != nil {
		s.Ended(s.failure, err)
	}
}

// RunScheduled sends a cron event and waits for its end.
func (w *Worker) RunScheduled(ctx context.Context, cron string, at time.Time) error {
	done := make(chan error, 1)
	ev := &Scheduled{Cron: cron, Time: at, Ended: func(failure *Exception, err error) {
		switch {
		case err != nil:
			done <- err
		case failure != nil:
			done <- failure
		default:
			done <- nil
		}
	}}
	if !w.Dispatch(ctx, ev, DispatchOptions{}) {
		return errors.New("the Worker was stopped")
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
