package worker

import (
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// serveScheduled answers scheduled({scheduledTime, cron}) over a binding with {outcome, noRetry} (TEST-9).
func (iso *Isolate) serveScheduled(target *goja.Object, env, ctx goja.Value, args []goja.Value) goja.Value {
	rt := iso.Runtime()
	s := &Scheduled{Time: iso.Loop.Clock().Now()}
	if len(args) > 0 {
		if o, ok := args[0].(*goja.Object); ok {
			if at := webidl.Option(o, "scheduledTime"); at != nil {
				s.Time = time.UnixMilli(at.ToInteger())
			}
			if cron := webidl.Option(o, "cron"); cron != nil {
				s.Cron = cron.String()
			}
		}
	}
	fn, ok := goja.AssertFunction(target.Get("scheduled"))
	if !ok {
		iso.Realm.ThrowError("Error", "Handler does not export a scheduled() function.")
	}
	done, resolve, _ := rt.NewPromise()
	finish := func(outcome string) {
		out := rt.NewObject()
		_ = out.Set("outcome", outcome)
		_ = out.Set("noRetry", s.noRetry)
		_ = resolve(out)
	}
	failed := func(reason goja.Value) {
		iso.Uncaught(reason)
		finish("exception")
	}
	var v goja.Value
	if ex := iso.Realm.Try(func() {
		var err error
		if v, err = fn(target, iso.scheduledController(s), env, ctx); err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
	}); ex != nil {
		failed(ex)
		return rt.ToValue(done)
	}
	iso.Realm.Then(v, func(goja.Value) { finish("ok") }, failed)
	return rt.ToValue(done)
}
