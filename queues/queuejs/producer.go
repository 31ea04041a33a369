package queuejs

import (
	"errors"

	"github.com/dop251/goja"

	"eddy/queues"
	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/worker"
)

// Sender is what a producer needs of the broker.
type Sender interface {
	SendAsync(queue string, msgs []queues.Outgoing, o queues.SendOptions, done func(queues.Metrics, error))
	MetricsAsync(queue string, done func(queues.Metrics, error))
}

// Producer is the binding of a queue for sending.
type Producer struct {
	// Binding is the name in env, Queue the queue's.
	Binding, Queue string
	Sender         Sender
	// Delay is the binding's delivery_delay: it applies to sends that name none (P-32).
	Delay queues.Delay
}

// Name implements [worker.Binding].
func (p Producer) Name() string { return p.Binding }

// Install implements [worker.Binding].
func (p Producer) Install(iso *worker.Isolate) (goja.Value, error) {
	builtinsOf(iso) // before a script can change them
	return producerClass(iso).Wrap(&producer{Producer: p, iso: iso}), nil
}

type producer struct {
	Producer
	iso *worker.Isolate
}

// producerClass is WorkerQueue (P-1): metrics, send and sendBatch on the prototype, no own keys; not a global.
func producerClass(iso *worker.Isolate) *webidl.Interface {
	type key struct{}
	class, ok := iso.Value(key{}).(*webidl.Interface)
	if !ok {
		class = iso.Realm.Define(webidl.Spec{Name: "WorkerQueue", Members: []webidl.Member{
			webidl.Async("metrics", (*producer).metrics),
			webidl.Async("send", (*producer).send),
			webidl.Async("sendBatch", (*producer).sendBatch),
		}})
		iso.SetValue(key{}, class)
	}
	return class
}

// send is send(body, {contentType, delaySeconds}).
func (p *producer) send(c *webidl.Call) goja.Value {
	body := c.Require(0, "Value")
	o := options(c, "SendOptions")
	if goja.IsUndefined(body) {
		c.ThrowType("Message body cannot be undefined")
	}
	return p.refusable("send", func() goja.Value {
		msg := p.item(&bodies{}, body, o, true)
		return p.dispatch("send", []queues.Outgoing{msg}, queues.SendOptions{Delay: p.Delay})
	})
}

// sendBatch is sendBatch(iterable of {body, contentType, delaySeconds}, {delaySeconds}).
func (p *producer) sendBatch(c *webidl.Call) goja.Value {
	list, ok := c.Arg(0).(*goja.Object)
	var iterator goja.Value
	if ok {
		iterator = list.GetSymbol(goja.SymIterator)
		_, ok = goja.AssertFunction(iterator)
	}
	if !ok {
		c.ThrowNotOfType(0, "Sequence")
	}
	o := options(c, "SendBatchOptions")
	return p.refusable("sendBatch", func() goja.Value {
		var msgs []queues.Outgoing
		items, ok := builtinsOf(p.iso).elements(list, iterator)
		if !ok {
			c.Runtime().ForOf(list, func(item goja.Value) bool {
				items = append(items, item)
				return true
			})
		}
		msgs = make([]queues.Outgoing, 0, len(items))
		var of bodies
		for _, item := range items {
			msgs = append(msgs, p.batchItem(c, &of, item))
		}
		if len(msgs) == 0 {
			c.ThrowType("sendBatch() requires at least one message")
		}
		send := queues.SendOptions{Batch: true, Delay: p.Delay}
		if d := webidl.Option(o, "delaySeconds"); d != nil {
			send.Delay = queues.DelaySeconds(c.Realm().Int32(d))
		}
		return p.dispatch("sendBatch", msgs, send)
	})
}

func (p *producer) batchItem(c *webidl.Call, of *bodies, item goja.Value) queues.Outgoing {
	if goja.IsUndefined(item) || goja.IsNull(item) {
		// The platform's text shows its own mangled type name (P-10).
		c.ThrowType(
			"Cannot initialize N7workerd3api11WorkerQueue18MessageSendRequestE with required members from an " +
				"undefined or null value.",
		)
	}
	obj, ok := item.(*goja.Object)
	if !ok {
		c.ThrowType("Incorrect type: the provided value is not of type 'MessageSendRequest'.")
	}
	body := webidl.Option(obj, "body")
	if body == nil {
		c.ThrowType("Message body cannot be undefined")
	}
	return p.item(of, body, obj, false)
}

// item serializes one message among those of its send; o holds contentType and delaySeconds, nil for none.
func (p *producer) item(of *bodies, body goja.Value, o *goja.Object, detach bool) queues.Outgoing {
	out := queues.Outgoing{ContentType: defaultContentType(p.iso)}
	if d := webidl.Option(o, "delaySeconds"); d != nil {
		out.Delay = queues.DelaySeconds(p.iso.Realm.Int32(d))
	}
	if ct := webidl.Option(o, "contentType"); ct != nil {
		out.ContentType = parseContentType(p.iso, ct)
	}
	out.Body = of.encode(p.iso, body, out.ContentType, detach)
	return out
}

func options(c *webidl.Call, typ string) *goja.Object { return c.Object(1, typ) }

// refusable turns a refusal that encoding found, which is a Go panic, into a rejection.
func (p *producer) refusable(op string, f func() goja.Value) (v goja.Value) {
	defer func() {
		if x := recover(); x != nil {
			var refusal *queues.Error
			if err, ok := x.(error); ok && errors.As(err, &refusal) {
				v = p.iso.Realm.Rejected(p.failure(op, refusal))
				return
			}
			panic(x)
		}
	}()
	return f()
}

// dispatch hands messages to the broker once the output gate lets them (P-34) and answers with a promise.
func (p *producer) dispatch(op string, msgs []queues.Outgoing, o queues.SendOptions) goja.Value {
	p.recordSend(msgs, &o)
	return p.ask(
		op,
		func(done func(queues.Metrics, error)) { p.Sender.SendAsync(p.Queue, msgs, o, done) },
		func(m queues.Metrics) goja.Value {
			rt := p.iso.Runtime()
			res := rt.NewObject()
			layout().Put(res, "metadata", metadata(p.iso, m))
			return res
		},
	)
}

// metrics is metrics() (P-4); its errors always have the coded form (P-25).
func (p *producer) metrics(*webidl.Call) goja.Value {
	return p.ask(
		"metrics",
		func(done func(queues.Metrics, error)) { p.Sender.MetricsAsync(p.Queue, done) },
		func(m queues.Metrics) goja.Value {
			return metricsObject(p.iso, m)
		},
	)
}

func (p *producer) ask(
	op string,
	start func(done func(queues.Metrics, error)),
	result func(queues.Metrics) goja.Value,
) goja.Value {
	scope := p.iso.Host.Scope()
	promise, settle := scope.Deferred()
	scope.Output(func(err error) {
		if err != nil {
			settle(func() (goja.Value, goja.Value) { return nil, p.iso.Realm.NewError("Error", err.Error()) })
			return
		}
		ask := func() {
			start(func(m queues.Metrics, err error) {
				settle(func() (goja.Value, goja.Value) {
					if err != nil {
						return nil, p.failure(op, err)
					}
					return result(m), nil
				})
			})
		}
		if !clock.Exploring(p.iso.Loop.Clock()) ||
			!scope.Offer(&clock.Step{Kind: "send", Chain: scope, Fail: func() {
				settle(func() (goja.Value, goja.Value) { return nil, p.failure(op, eventloop.ErrConnection) })
			}, Do: func() {
				if inv, ok := scope.Owner.(*worker.Invocation); ok && inv.Over() {
					// It was still to leave when its event was cut.
					settle(func() (goja.Value, goja.Value) { return goja.Undefined(), nil })
					return
				}
				ask()
			}}) {
			ask()
		}
	})
	return promise
}

// failure is the error of a send: coded, or in the old form below compatibility date 2026-03-12 (P-25, X-4).
func (p *producer) failure(op string, err error) goja.Value {
	var refusal *queues.Error
	if errors.As(err, &refusal) && op != "metrics" && !p.iso.Flags.Enabled("queue_expose_error_codes") {
		return p.iso.Realm.NewError("Error", "Queue "+op+" failed: "+refusal.Old)
	}
	return p.iso.Realm.NewError("Error", err.Error())
}

// metadata is {metrics}, which is made when somebody looks at it.
func metadata(iso *worker.Isolate, m queues.Metrics) goja.Value {
	return layout().Lazy(iso.Runtime(), 1, builtinsOf(iso).object, func(_ int, o *goja.Object) {
		layout().Put(o, "metrics", metricsObject(iso, m))
	})[0]
}

// metricsObject is {backlogCount, backlogBytes, oldestMessageTimestamp?}.
func metricsObject(iso *worker.Isolate, m queues.Metrics) *goja.Object {
	rt := iso.Runtime()
	o := rt.NewObject()
	layout().Put(o, "backlogCount", rt.ToValue(m.BacklogCount))
	layout().Put(o, "backlogBytes", rt.ToValue(m.BacklogBytes))
	if !m.OldestMessageTimestamp.IsZero() {
		layout().Put(o, "oldestMessageTimestamp", newDate(iso, m.OldestMessageTimestamp.UnixMilli()))
	}
	return o
}

func newDate(iso *worker.Isolate, ms int64) *goja.Object {
	d, err := iso.Runtime().New(builtinsOf(iso).date, iso.Runtime().ToValue(ms))
	if err != nil {
		panic(err)
	}
	return d
}
