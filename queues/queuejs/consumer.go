package queuejs

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/dop251/goja"

	"eddy/queues"
	"eddy/runtime/clock"
	"eddy/runtime/worker"
)

// NoHandler is the failure of a Worker without queue() (C-12).
const NoHandler = "Handler does not export a queue() function."

// Consumer delivers batches to a Worker's queue() handler.
type Consumer struct {
	Isolate *worker.Isolate
}

// Deliver implements [queues.Consumer].
func (c Consumer) Deliver(ctx context.Context, in *queues.Batch, done func(queues.Outcome)) {
	ev := &batchEvent{ctx: ctx, in: in, done: done, iso: c.Isolate}
	if !c.Isolate.Dispatch(ctx, ev, worker.DispatchOptions{}) {
		done(queues.Outcome{Abandoned: true})
	}
}

// batchEvent is one batch in flight.
type batchEvent struct {
	ctx     context.Context
	in      *queues.Batch
	done    func(queues.Outcome)
	batch   *batch
	failure *worker.Exception
	settled bool
	outcome queues.Outcome // once it is settled
	stop    func() bool
	iso     *worker.Isolate
}

// Kind implements [worker.Event].
func (e *batchEvent) Kind() string { return "queue" }

// String names the batch as the lines of a session do.
func (e *batchEvent) String() string { return "QUEUE " + e.in.Queue }

// Onset implements [worker.Onsetter].
func (e *batchEvent) Onset(*worker.Invocation) string {
	name, err := json.Marshal(e.in.Queue)
	if err != nil {
		panic(err) // a string always marshals
	}
	return `{"type":"queue","queueName":` + string(name) + `,"batchSize":` + strconv.Itoa(len(e.in.Messages)) + `}`
}

// Run implements [worker.Event].
func (e *batchEvent) Run(inv *worker.Invocation) goja.Value {
	iso := inv.Isolate
	// The wall time limit gives the invocation up, whatever it waits for (D-15).
	e.stop = context.AfterFunc(e.ctx, func() { iso.Loop.Post(func() { inv.Abort(context.Cause(e.ctx)) }) })
	var err error
	if e.batch, err = newBatch(iso, e.in); err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	e.failNow(iso)
	if h, ok := inv.Handler("queue"); ok {
		return h.Call(inv, e.batch.controller(e.in.Metrics))
	}
	if iso.IsServiceWorker() {
		if !inv.DispatchLegacy("queue", e.legacy()) {
			iso.Realm.ThrowError("Error", "No event listener registered for queue messages.")
		}
		return nil
	}
	iso.WarnOnce(
		"Received a QueueEvent but we lack a handler for QueueEvents. Did you remember to export a queue() function?",
	)
	iso.Realm.ThrowError("Error", NoHandler)
	return nil
}

// legacy are the properties of a QueueEvent of the service-worker format (C-8).
func (e *batchEvent) legacy() map[string]goja.Value {
	b, realm := e.batch, e.batch.iso.Realm
	controller := b.controller(e.in.Metrics)
	props := map[string]goja.Value{
		"queue":    controller.Get("queue"),
		"messages": controller.Get("messages"),
		"metadata": controller.Get("metadata"),
	}
	for _, name := range []string{"ackAll", "retryAll"} {
		fn, _ := goja.AssertFunction(controller.Get(name))
		props[name] = realm.Function(name, func(fc goja.FunctionCall) goja.Value {
			v, err := fn(controller, fc.Arguments...)
			if err != nil {
				panic(realm.ErrorValue(err))
			}
			return v
		})
	}
	return props
}

// Settle implements [worker.Event].
func (e *batchEvent) Settle(inv *worker.Invocation, _, failure goja.Value) {
	if failure != nil {
		e.failure = inv.Isolate.Exception(failure)
		inv.Isolate.Uncaught(failure)
	}
	if inv.Isolate.Flags.Enabled("queue_consumer_no_wait_for_wait_until") && !inv.Isolate.IsServiceWorker() {
		e.finish(nil)
	}
}

// Done implements [worker.Event].
func (e *batchEvent) Done(inv *worker.Invocation, err error) {
	if e.failure == nil && len(inv.WaitFailures) > 0 {
		e.failure = inv.Isolate.Exception(inv.WaitFailures[0])
	}
	e.finish(err)
}

// finish tells the broker once (C-9 to C-11).
func (e *batchEvent) finish(err error) {
	if e.settled {
		return
	}
	e.settled = true
	if e.stop != nil {
		e.stop() // the context ends with the delivery, and what the handler left to waitUntil may go on
	}
	o := queues.Outcome{}
	if e.batch != nil {
		o = e.batch.outcome()
	}
	switch reason := worker.Outcome(err); {
	case reason != "":
		o.Failure = &queues.Failure{Reason: reason, Error: err.Error()}
	case errors.Is(err, queues.ErrWallTime):
		o.Failure = &queues.Failure{Reason: queues.ReasonWallTime, Error: err.Error()}
	case err != nil:
		o = queues.Outcome{Abandoned: true}
	case e.failure != nil:
		o.Failure = &queues.Failure{Reason: "exception", Error: e.failure.Error(), Stack: e.failure.Stack}
	}
	e.outcome = o
	tellOutcome(e.iso, e.String(), o, e.done)
}

// tellOutcome tells the broker the outcome of a delivery: at once, or when the clock's Chooser wants it.
func tellOutcome(iso *worker.Isolate, name string, o queues.Outcome, done func(queues.Outcome)) {
	c := iso.Loop.Clock()
	if !clock.Exploring(c) || !clock.Offer(c, &clock.Step{
		Kind: "outcome", Name: name, Do: func() { done(o) },
		Lost: func() { done(queues.Outcome{Abandoned: true}) },
	}) {
		done(o)
	}
}
