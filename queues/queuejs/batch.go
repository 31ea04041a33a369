package queuejs

import (
	"fmt"
	"slices"
	"time"

	"github.com/dop251/goja"

	"eddy/queues"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/worker"
)

// batch is the state behind a QueueController: what the handler has asked for so far.
type batch struct {
	iso      *worker.Isolate
	queue    string
	messages []*message
	objects  []goja.Value // of the messages
	ackAll   bool
	retryAll bool
	// retryDelay is the delay of retryAll; a later call without one keeps it (C-28).
	retryDelay queues.Delay
	// firstRetryAll says that retry() after retryAll() has no effect, as in the product's test module (C-32).
	firstRetryAll bool
	// closed says that the outcome is on its way; calls have no effect any more.
	closed bool
}

// message is the state behind a QueueMessage.
type message struct {
	batch *batch
	id    queues.ID
	given string // the id of a message that a script has made
	acked bool
	retry bool
	delay queues.Delay
}

// name is the id as scripts see it.
func (m *message) name() string {
	if m.given != "" {
		return m.given
	}
	return m.id.String()
}

func (b *batch) warn(format string, args ...any) { b.iso.Warn(fmt.Sprintf(format, args...)) }

// Texts W1 to W6 of C-27.
const (
	warnMessage = "Received a call to %[1]s() on message %[3]s after %[2]s() was already called. Calling %[1]s() " +
		"on a message after calling %[2]s() has no effect."
	warnController = "Received a call to %[1]s() after %[2]s() was already called. Calling %[1]s() after calling " +
		"%[2]s() has no effect."
)

// ack is message.ack(): first call wins over everything but another ack (C-17 to C-23).
func (m *message) ack(*webidl.Call) goja.Value {
	b := m.batch
	switch {
	case b.closed, b.ackAll, m.acked:
	case b.retryAll:
		b.warn(warnMessage, "ack", "retryAll", m.name())
	case m.retry:
		b.warn(warnMessage, "ack", "retry", m.name())
	default:
		m.acked = true
	}
	return nil
}

// retryOne is message.retry(options): the last of several replaces the others (C-28).
func (m *message) retryOne(c *webidl.Call) goja.Value {
	b := m.batch
	delay := delayOption(c)
	switch {
	case b.closed, b.firstRetryAll && b.retryAll:
	case b.ackAll:
		b.warn(warnMessage, "retry", "ackAll", m.name())
	case m.acked:
		b.warn(warnMessage, "retry", "ack", m.name())
	default:
		m.retry, m.delay = true, delay
	}
	return nil
}

func (b *batch) ackEverything(*webidl.Call) goja.Value {
	switch {
	case b.closed:
	case b.retryAll:
		b.warn(warnController, "ackAll", "retryAll")
	default:
		b.ackAll = true
	}
	return nil
}

func (b *batch) retryEverything(c *webidl.Call) goja.Value {
	delay := delayOption(c)
	switch {
	case b.closed:
	case b.ackAll:
		b.warn(warnController, "retryAll", "ackAll")
	default:
		b.retryAll = true
		if _, given := delay.Seconds(); given {
			b.retryDelay = delay
		}
	}
	return nil
}

// delayOption is {delaySeconds}, converted but not checked (C-29).
func delayOption(c *webidl.Call) queues.Delay {
	if d := webidl.Option(c.Object(0, "QueueRetryOptions"), "delaySeconds"); d != nil {
		return queues.DelaySeconds(c.Realm().Int32(d))
	}
	return queues.Delay{}
}

// outcome closes the batch and says what was asked for.
func (b *batch) outcome() queues.Outcome {
	b.closed = true
	o := queues.Outcome{AckAll: b.ackAll, RetryAll: b.retryAll, RetryAllDelay: b.retryDelay}
	for _, m := range b.messages {
		switch {
		case m.acked:
			o.Acks = append(o.Acks, m.id)
		case m.retry:
			o.Retries = append(o.Retries, queues.Retry{ID: m.id, Delay: m.delay})
		}
	}
	return o
}

type classes struct{ controller, message *webidl.Interface }

func classesOf(iso *worker.Isolate) *classes {
	type key struct{}
	k, ok := iso.Value(key{}).(*classes)
	if !ok {
		k = &classes{
			controller: iso.Realm.Define(webidl.Spec{Name: "QueueController", Members: []webidl.Member{
				webidl.Method("ackAll", (*batch).ackEverything),
				webidl.Method("retryAll", (*batch).retryEverything),
			}}),
			message: iso.Realm.Define(webidl.Spec{Name: "QueueMessage", Members: []webidl.Member{
				webidl.Method("ack", (*message).ack),
				webidl.Method("retry", (*message).retryOne),
			}}),
		}
		iso.SetValue(key{}, k)
	}
	return k
}

// newBatch makes the batch's objects (C-3, C-4, C-5, C-6), each when it is first looked at. It fails if a body cannot
// be decoded.
func newBatch(iso *worker.Isolate, in *queues.Batch) (*batch, error) {
	b := &batch{iso: iso, queue: in.Queue, messages: make([]*message, len(in.Messages))}
	list := make([]message, len(in.Messages))
	var bodies []goja.Value // of those that are decoded now
	for i := range in.Messages {
		msg := &in.Messages[i]
		list[i] = message{batch: b, id: msg.ID}
		b.messages[i] = &list[i]
		if certain(msg) {
			continue
		}
		body, err := decode(iso, msg)
		if err != nil {
			return nil, err
		}
		if bodies == nil {
			bodies = make([]goja.Value, len(in.Messages))
		}
		bodies[i] = body
	}
	b.objects = classesOf(iso).message.WrapLazily(len(in.Messages), func(i int) any { return &list[i] },
		func(i int, obj *goja.Object) {
			msg := &in.Messages[i]
			var body goja.Value
			if bodies != nil {
				body = bodies[i]
			}
			if body == nil {
				var err error
				if body, err = decode(iso, msg); err != nil {
					panic(iso.Realm.ErrorValue(err))
				}
			}
			list[i].define(obj, msg.Attempts, body, msg.Timestamp)
		})
	return b, nil
}

// define gives the object of a message its properties.
func (m *message) define(obj *goja.Object, attempts int, body goja.Value, at time.Time) {
	rt := m.batch.iso.Runtime()
	own(obj, "attempts", rt.ToValue(attempts))
	own(obj, "body", body)
	own(obj, "timestamp", newDate(m.batch.iso, at.UnixMilli()))
	own(obj, "id", rt.ToValue(m.name()))
}

// own defines a read-only key of the object itself.
func own(obj *goja.Object, name string, v goja.Value) {
	_ = obj.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// metadata is batch.metadata, which a QueueEvent has too (C-6).
func (b *batch) metadata(m queues.Metrics) goja.Value {
	return metadata(b.iso, m)
}

// array is batch.messages: a fresh array each time (C-3).
func (b *batch) array() goja.Value {
	return layout().NewArray(b.iso.Runtime(), slices.Clone(b.objects))
}

// controller is the object that queue() gets.
func (b *batch) controller(metrics queues.Metrics) *goja.Object {
	obj := classesOf(b.iso).controller.Wrap(b)
	own(obj, "metadata", b.metadata(metrics))
	get := b.iso.Realm.Function("get messages", func(goja.FunctionCall) goja.Value { return b.array() })
	_ = obj.DefineAccessorProperty("messages", get, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
	own(obj, "queue", b.iso.Runtime().ToValue(b.queue))
	return obj
}
