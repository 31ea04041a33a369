package events

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// FetchEvent is the state of the event that a script of the service-worker format handles a request with.
type FetchEvent struct {
	ExtendableEvent
	Request goja.Value
	// RespondWith takes the response or the promise for one, once.
	RespondWith func(v goja.Value)
	answered    bool
}

// ScheduledEvent is the state of the event that a script of the service-worker format is called with by a cron trigger.
type ScheduledEvent struct {
	ExtendableEvent
	// ScheduledTime is in milliseconds since 1970.
	ScheduledTime int64
	Cron          string
	// NoRetry is called when the script asks that nobody tries it again; it may be nil.
	NoRetry func()
}

// NewFetch makes the trusted event "fetch".
func NewFetch(h *host.Host, e FetchEvent) *goja.Object {
	e.Type, e.Trusted = "fetch", true
	return of(h).fetch.Wrap(&e)
}

// NewScheduled makes the trusted event "scheduled".
func NewScheduled(h *host.Host, e ScheduledEvent) *goja.Object {
	e.Type, e.Trusted = "scheduled", true
	return of(h).scheduled.Wrap(&e)
}

// NewHandled makes the trusted event "queue" or "tail", whose own properties the caller adds.
func NewHandled(h *host.Host, typ string, e ExtendableEvent) *goja.Object {
	e.Type, e.Trusted = typ, true
	if typ == "queue" {
		return of(h).queue.Wrap(&e)
	}
	return of(h).tail.Wrap(&e)
}

// installHandlers defines the classes of the events that are handlers in module syntax. Scripts cannot make them.
func installHandlers(h *host.Host, k *classes) {
	r := h.Realm
	k.fetch = r.Define(webidl.Spec{
		Name: "FetchEvent", Parent: k.extendable,
		Members: []webidl.Member{
			webidl.Getter("request", func(e *FetchEvent, _ *webidl.Call) goja.Value { return e.Request }),
			webidl.Method("respondWith", func(e *FetchEvent, c *webidl.Call) goja.Value {
				e.prevented, e.stopped = true, true
				if e.answered {
					r.ThrowDOM("InvalidStateError",
						"FetchEvent.respondWith() has already been called; it can only be called once.")
				}
				if !e.dispatching || e.RespondWith == nil {
					r.ThrowDOM("InvalidStateError", "Too late to call FetchEvent.respondWith(). It must be called "+
						"synchronously in the event handler.")
				}
				e.answered = true
				e.RespondWith(c.Arg(0))
				return nil
			}),
			webidl.Method("passThroughOnException", func(*FetchEvent, *webidl.Call) goja.Value { return nil }),
		},
	}).Install()
	k.scheduled = r.Define(webidl.Spec{
		Name: "ScheduledEvent", Parent: k.extendable,
		Members: []webidl.Member{
			webidl.Getter("scheduledTime",
				func(e *ScheduledEvent, c *webidl.Call) goja.Value { return c.Value(e.ScheduledTime) }),
			webidl.Getter("cron", func(e *ScheduledEvent, c *webidl.Call) goja.Value { return c.Value(e.Cron) }),
			webidl.Method("noRetry", func(e *ScheduledEvent, _ *webidl.Call) goja.Value {
				if e.NoRetry != nil {
					e.NoRetry()
				}
				return nil
			}),
		},
	}).Install()
	// TailEvent is known to the platform by two names.
	k.tail = r.Define(webidl.Spec{Name: "TailEvent", Parent: k.extendable}).Install()
	k.queue = r.Define(webidl.Spec{Name: "QueueEvent", Parent: k.extendable}) // it is no global (C-8)
	if err := r.Runtime().GlobalObject().DefineDataProperty(
		"TraceEvent", k.tail.Constructor, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}
