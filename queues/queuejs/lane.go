package queuejs

import (
	"context"

	"github.com/dop251/goja"

	"eddy/queues"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/lazyregexp"
	"eddy/runtime/worker"
)

// laneConsumer delivers from lanes to the handlers of a do-queue class.
type laneConsumer struct{ class *laneClass }

// DeliverLane implements [queues.LaneConsumer].
func (c laneConsumer) DeliverLane(ctx context.Context, in *queues.LaneBatch, done func(queues.Outcome)) {
	if !c.class.iso.Dispatch(ctx, &laneEvent{class: c.class, in: in, done: done}, worker.DispatchOptions{}) {
		done(queues.Outcome{Abandoned: true})
	}
}

// DeadLetterLane implements [queues.LaneConsumer].
func (c laneConsumer) DeadLetterLane(ctx context.Context, dead *queues.LaneDeadLetter, done func(error)) {
	if !c.class.iso.Dispatch(ctx, &laneDeadEvent{class: c.class, dead: dead, done: done}, worker.DispatchOptions{}) {
		done(queues.ErrAbandoned)
	}
}

// laneBatch is the state behind a do-queue batch; a message's first settlement wins (DQ-14).
type laneBatch struct {
	iso      *worker.Isolate
	messages []*laneMessage
	closed   bool
}

type laneMessage struct {
	batch   *laneBatch
	id      queues.ID
	obj     *goja.Object
	settled bool
	retry   bool
	delay   queues.Delay
}

func (m *laneMessage) settle(retry bool, delay queues.Delay) {
	if !m.settled && !m.batch.closed {
		m.settled, m.retry, m.delay = true, retry, delay
	}
}

func laneClasses(iso *worker.Isolate) (batch, message *webidl.Interface) {
	type key struct{}
	pair, ok := iso.Value(key{}).([2]*webidl.Interface)
	if !ok {
		pair[0] = iso.Realm.Define(webidl.Spec{Name: "DOQueueBatch", Members: []webidl.Member{
			webidl.Method("ackAll", func(b *laneBatch, _ *webidl.Call) goja.Value {
				for _, m := range b.messages {
					m.settle(false, queues.Delay{})
				}
				return nil
			}),
			webidl.Method("retryAll", func(b *laneBatch, c *webidl.Call) goja.Value {
				delay := delayOption(c)
				for _, m := range b.messages {
					m.settle(true, delay)
				}
				return nil
			}),
		}})
		pair[1] = iso.Realm.Define(webidl.Spec{Name: "DOQueueMessage", Members: []webidl.Member{
			webidl.Method(
				"ack",
				func(m *laneMessage, _ *webidl.Call) goja.Value { m.settle(false, queues.Delay{}); return nil },
			),
			webidl.Method(
				"retry",
				func(m *laneMessage, c *webidl.Call) goja.Value { m.settle(true, delayOption(c)); return nil },
			),
		}})
		iso.SetValue(key{}, pair)
	}
	return pair[0], pair[1]
}

// wrap makes the object of one message (DQ-7): id is a UUID.
func (b *laneBatch) wrap(msg *queues.Message) (*laneMessage, error) {
	body, err := decode(b.iso, msg)
	if err != nil {
		return nil, err
	}
	_, class := laneClasses(b.iso)
	m := &laneMessage{batch: b, id: msg.ID}
	m.obj = class.Wrap(m)
	own(m.obj, "id", b.iso.Runtime().ToValue(msg.ID.UUID()))
	own(m.obj, "body", body)
	own(m.obj, "attempts", b.iso.Runtime().ToValue(msg.Attempts))
	own(m.obj, "timestamp", newDate(b.iso, msg.Timestamp.UnixMilli()))
	return m, nil
}

// laneEvent is one delivery in flight.
type laneEvent struct {
	class   *laneClass
	in      *queues.LaneBatch
	done    func(queues.Outcome)
	batch   *laneBatch
	failure *worker.Exception
	outcome queues.Outcome // for the journal
}

// Kind implements [worker.Event].
func (e *laneEvent) Kind() string { return "queue" }

// String names the event.
func (e *laneEvent) String() string { return "LANE " + e.in.Key }

// Run implements [worker.Event].
func (e *laneEvent) Run(inv *worker.Invocation) goja.Value {
	iso := inv.Isolate
	e.batch = &laneBatch{iso: iso}
	list := make([]any, 0, len(e.in.Messages))
	for i := range e.in.Messages {
		m, err := e.batch.wrap(&e.in.Messages[i])
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		e.batch.messages = append(e.batch.messages, m)
		list = append(list, m.obj)
	}
	class, _ := laneClasses(iso)
	obj := class.Wrap(e.batch)
	own(obj, "queue", iso.Runtime().ToValue(e.in.Key))
	own(obj, "messages", iso.Runtime().NewArray(list...))
	v, err := e.class.queue(e.class.handlers, obj, iso.Env(), inv.Context())
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	return v
}

// Settle implements [worker.Event].
func (e *laneEvent) Settle(inv *worker.Invocation, _, failure goja.Value) {
	if failure != nil {
		e.failure = inv.Isolate.Exception(failure)
		inv.Isolate.Uncaught(failure)
	}
}

// Done implements [worker.Event]: it waits for waitUntil, whose rejections count (DQ-11, DQ-12).
func (e *laneEvent) Done(inv *worker.Invocation, err error) {
	if e.failure == nil && len(inv.WaitFailures) > 0 {
		e.failure = inv.Isolate.Exception(inv.WaitFailures[0])
	}
	if err != nil && worker.Outcome(err) == "" {
		e.outcome = queues.Outcome{Abandoned: true}
		tellOutcome(e.class.iso, e.String(), e.outcome, e.done)
		return
	}
	o := queues.Outcome{}
	if e.batch != nil {
		e.batch.closed = true
		for _, m := range e.batch.messages {
			switch {
			case m.settled && m.retry:
				o.Retries = append(o.Retries, queues.Retry{ID: m.id, Delay: m.delay})
			case m.settled:
				o.Acks = append(o.Acks, m.id)
			}
		}
	}
	switch {
	case err != nil:
		o.Failure = &queues.Failure{Reason: worker.Outcome(err), Error: err.Error()}
	case e.failure != nil:
		o.Failure = &queues.Failure{Reason: "exception", Error: e.failure.Error(), Stack: e.failure.Stack}
	}
	e.outcome = o
	tellOutcome(e.class.iso, e.String(), o, e.done)
}

// errorText is what [worker.Exception.Error] writes: the name of a class, and the message.
var errorText = lazyregexp.New(`(?s)^([A-Z]\w*): (.*)$`)

// lastError makes the error that deadLetter gets (DQ-20). It has the name, message and stack of what the handler threw
// last; these are stored, so that they survive a restart.
func lastError(iso *worker.Isolate, f queues.DeadLetter) goja.Value {
	name, message := "Error", f.Error
	if parts := errorText.FindStringSubmatch(f.Error); parts != nil {
		name, message = parts[1], parts[2]
	}
	if f.Error == "" {
		message = "Retries exhausted: " + f.Reason
	}
	class := name
	switch class {
	case "TypeError", "RangeError", "SyntaxError", "ReferenceError", "URIError", "EvalError":
	default:
		class = "Error"
	}
	o := iso.Realm.NewError(class, message)
	define := func(key, value string) {
		_ = o.DefineDataProperty(key, iso.Runtime().ToValue(value), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	if class != name {
		define("name", name)
	}
	if f.Stack != "" {
		define("stack", f.Stack)
	}
	return o
}

// laneDeadEvent calls deadLetter(message, error, env) (DQ-20, DQ-21).
type laneDeadEvent struct {
	class   *laneClass
	dead    *queues.LaneDeadLetter
	done    func(error)
	failure *worker.Exception
}

// Kind implements [worker.Event].
func (e *laneDeadEvent) Kind() string { return "dead-letter" }

// Run implements [worker.Event].
func (e *laneDeadEvent) Run(inv *worker.Invocation) goja.Value {
	iso := inv.Isolate
	m, err := (&laneBatch{iso: iso, closed: true}).wrap(&e.dead.Message)
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	v, err := e.class.deadLetter(e.class.handlers, m.obj, lastError(iso, e.dead.Failure), iso.Env())
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	return v
}

// Settle implements [worker.Event].
func (e *laneDeadEvent) Settle(inv *worker.Invocation, _, failure goja.Value) {
	if failure != nil {
		e.failure = inv.Isolate.Exception(failure)
		inv.Isolate.Uncaught(failure)
	}
}

// Done implements [worker.Event].
func (e *laneDeadEvent) Done(_ *worker.Invocation, err error) {
	switch {
	case e.failure != nil:
		e.done(e.failure)
	case err != nil && worker.Outcome(err) == "":
		e.done(queues.ErrAbandoned)
	default:
		e.done(err)
	}
}
