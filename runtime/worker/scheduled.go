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

	failure   *Exception
	noRetry   bool
	noHandler bool
	late      bool
}

// ScheduledResult is what became of a cron event.
type ScheduledResult struct {
	// Err is the reason why the event failed, nil if it did not.
	Err error
	// Late says that Err comes from a promise of waitUntil, which was rejected after the handler had succeeded.
	Late bool
	// NoRetry is the platform's noRetry: the handler has called noRetry(), or there is no handler.
	NoRetry bool
	// NoHandler says that the Worker has no scheduled handler.
	NoHandler bool
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
		s.noHandler, s.noRetry = true, true
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
			webidl.Method("noRetry", func(c *controller, _ *webidl.Call) goja.Value {
				c.event.noRetry = true
				return nil
			}),
		}})
		iso.SetValue(key{}, class)
	}
	obj := class.Wrap(&controller{s})
	rt := iso.Runtime()
	_ = obj.DefineDataProperty("cron", rt.ToValue(s.Cron), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	_ = obj.DefineDataProperty(
		"scheduledTime", rt.ToValue(s.Time.UnixMilli()), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	return obj
}

// Settle implements [Event].
func (s *Scheduled) Settle(inv *Invocation, _, failure goja.Value) {
	if failure != nil {
		s.failure = inv.Isolate.Exception(failure)
		inv.Isolate.Uncaught(failure)
	}
}

// Done implements [Event]. A promise of waitUntil that was rejected makes the event fail, as on the platform.
func (s *Scheduled) Done(inv *Invocation, err error) {
	if s.Ended == nil {
		return
	}
	if s.failure == nil && len(inv.WaitFailures) > 0 {
		s.failure, s.late = inv.Isolate.Exception(inv.WaitFailures[0]), true
	}
	s.Ended(s.failure, err)
}

// RunScheduled sends a cron event and waits for its end.
func (w *Worker) RunScheduled(ctx context.Context, cron string, at time.Time) ScheduledResult {
	done := make(chan ScheduledResult, 1)
	ev := &Scheduled{Cron: cron, Time: at}
	ev.Ended = func(failure *Exception, err error) {
		if err == nil && failure != nil {
			err = failure
		}
		done <- ScheduledResult{Err: err, Late: ev.late, NoRetry: ev.noRetry, NoHandler: ev.noHandler}
	}
	if !w.Dispatch(ctx, ev, DispatchOptions{}) {
		return ScheduledResult{Err: errors.New("the Worker was stopped")}
	}
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
		return ScheduledResult{Err: ctx.Err()}
	}
}
