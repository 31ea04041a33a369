package workflowjs

import (
	"context"
	"errors"
	"fmt"

	"github.com/dop251/goja"

	"eddy/runtime/worker"
	"eddy/workflows"
)

// Runner executes lives with a class of a Worker.
type Runner struct {
	Isolate *worker.Isolate
	// Class is the name of the export. Workflow is the name of the workflow.
	Class, Workflow string
	// Steps bounds the do steps of an instance; 0 means production's 10,000 (FLOW-160).
	Steps int
}

const defaultSteps = 10_000

// Run implements [workflows.Runner].
func (r *Runner) Run(l *workflows.Life) (workflows.Stop, bool) {
	ev := &lifeEvent{runner: r, life: l}
	if !r.Isolate.Dispatch(context.Background(), ev, worker.DispatchOptions{Patient: true}) {
		return nil, false
	}
	return ev.stop, true
}

// lifeEvent is one life in an isolate. The loop owns all of it but stop.
type lifeEvent struct {
	runner   *Runner
	life     *workflows.Life
	inv      *worker.Invocation
	cut      error // set if the life was ended before it has begun here
	finished bool
	calls    int // calls to the workflow so far
	out      int // calls without an answer yet
}

// Kind implements [worker.Event].
func (e *lifeEvent) Kind() string { return "workflow" }

// String names the event as the lines of a session do.
func (e *lifeEvent) String() string { return "WORKFLOW " + e.runner.Workflow + " " + e.life.Instance }

// stop implements [workflows.Stop]. Any goroutine may call it.
func (e *lifeEvent) stop(reason error, calls int) {
	if !e.runner.Isolate.Loop.Post(func() { e.end(reason, calls) }) {
		e.life.Ended(reason)
	}
}

func (e *lifeEvent) end(reason error, calls int) {
	switch {
	case e.inv == nil && errors.Is(reason, workflows.ErrIdle):
		e.life.Stays()
	case e.inv == nil:
		e.cut = reason
	case e.inv.Over():
	case errors.Is(reason, workflows.ErrIdle) && (e.calls != calls || e.inv.Scope.Pending() != e.out):
		e.life.Stays()
	default:
		e.inv.Abort(reason)
	}
}

// Run implements [worker.Event].
func (e *lifeEvent) Run(inv *worker.Invocation) goja.Value {
	e.inv = inv
	if e.cut != nil {
		inv.Abort(e.cut)
		return goja.Undefined()
	}
	iso := inv.Isolate
	rt, realm := iso.Runtime(), iso.Realm
	s, err := scriptOf(iso)
	if err != nil {
		panic(realm.ErrorValue(err))
	}
	class, ok := iso.Export(e.runner.Class).(*goja.Object)
	if !ok {
		realm.ThrowType("The Worker does not export a class %s for the workflow %s.", e.runner.Class, e.runner.Workflow)
	}
	object, err := rt.New(class, inv.Context(), iso.Env())
	if err != nil {
		panic(realm.ErrorValue(err))
	}
	v, err := s.execute(goja.Undefined(), e.native(), object, e.event())
	if err != nil {
		panic(realm.ErrorValue(err))
	}
	return v
}

// event makes the first argument of run (FLOW-2).
func (e *lifeEvent) event() *goja.Object {
	iso := e.runner.Isolate
	rt := iso.Runtime()
	o := rt.NewObject()
	payload := goja.Value(rt.NewObject()) // a schedule has no payload
	if e.life.Payload != nil {
		payload = e.decode(e.life.Payload)
	}
	_ = o.Set("timestamp", newDate(iso, e.life.Created))
	_ = o.Set("payload", payload)
	_ = o.Set("instanceId", e.life.Instance)
	_ = o.Set("workflowName", e.runner.Workflow)
	if e.life.Cron != "" {
		schedule := rt.NewObject()
		_ = schedule.Set("cron", e.life.Cron)
		_ = schedule.Set("scheduledTime", e.life.Scheduled)
		_ = o.Set("schedule", schedule)
	}
	return o
}

// Settle implements [worker.Event]. The script's function execute has ended, with {output} or {failure, error}.
func (e *lifeEvent) Settle(inv *worker.Invocation, v, thrown goja.Value) {
	iso := inv.Isolate
	if thrown == nil && v.ToObject(iso.Runtime()).Get("terminated") != nil {
		e.finished = true
		e.life.Terminate(func(struct{}, error) {})
		return
	}
	output, failure := "", (*workflows.Failure)(nil)
	if thrown != nil { // the class or its constructor has thrown
		ex := iso.Exception(thrown)
		failure = &workflows.Failure{Name: ex.Name, Message: ex.Message}
		iso.Uncaught(thrown)
	} else {
		o := v.ToObject(iso.Runtime())
		if f := o.Get("failure"); f != nil {
			fo := f.ToObject(iso.Runtime())
			failure = &workflows.Failure{Name: fo.Get("name").String(), Message: fo.Get("message").String()}
			iso.Uncaught(o.Get("error"))
		} else {
			output = o.Get("output").String()
		}
	}
	e.finished = true
	e.life.Finish(output, failure, func(struct{}, error) {})
}

// Done implements [worker.Event].
func (e *lifeEvent) Done(_ *worker.Invocation, err error) {
	if e.finished {
		return
	}
	if worker.Outcome(err) != "" {
		err = &workflows.Failure{Name: "Error", Message: err.Error()}
	}
	if err == nil {
		err = fmt.Errorf("the event of workflow %s has ended before its end", e.runner.Workflow)
	}
	e.life.Ended(err)
}
