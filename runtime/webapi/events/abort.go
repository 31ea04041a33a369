package events

import (
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// Signal is the state of an AbortSignal (https://dom.spec.whatwg.org/#interface-AbortSignal).
type Signal struct {
	Target
	object  *goja.Object
	aborted bool
	reason  goja.Value
	watch   []*func()
	onabort goja.Value
	// Incoming marks the signal of an incoming request: without the flag request_signal_passthrough it is not handed
	// on to requests that the Worker makes from it.
	Incoming bool
	// Never marks a signal that nothing can abort. A Request that was given no signal shows such a one.
	Never bool
}

// SignalOf is the signal behind an AbortSignal object.
func SignalOf(h *host.Host, v goja.Value) (*Signal, bool) {
	return webidl.StateOf[*Signal](h.Realm, v)
}

// NewSignal makes an AbortSignal that only Go code can abort.
func NewSignal(h *host.Host) *Signal { return newSignal(h, of(h)) }

func newSignal(h *host.Host, k *classes) *Signal {
	s := &Signal{}
	s.object = k.signal.Wrap(s)
	return s
}

// Object is the AbortSignal object.
func (s *Signal) Object() *goja.Object { return s.object }

// Aborted tells whether the signal has been triggered.
func (s *Signal) Aborted() bool { return s.aborted }

// Reason is what the signal was aborted with; undefined before.
func (s *Signal) Reason() goja.Value {
	if s.reason == nil {
		return goja.Undefined()
	}
	return s.reason
}

// OnAbort calls fn once, before any listener, when the signal is triggered; at once if it has been. The function it
// returns takes fn back.
func (s *Signal) OnAbort(fn func()) (remove func()) {
	if s.aborted {
		fn()
		return func() {}
	}
	p := &fn
	s.watch = append(s.watch, p)
	return func() {
		for i, w := range s.watch {
			if w == p {
				s.watch = append(s.watch[:i:i], s.watch[i+1:]...)
				return
			}
		}
	}
}

// Abort triggers the signal; nil is the default reason. A second call does nothing. What a listener throws is thrown
// on.
func (s *Signal) Abort(h *host.Host, reason goja.Value) {
	if s.aborted {
		return
	}
	if reason == nil || goja.IsUndefined(reason) {
		reason = AbortError(h)
	}
	s.aborted, s.reason = true, reason
	watch := s.watch
	s.watch = nil
	for _, f := range watch {
		(*f)()
	}
	defer s.clear()
	if s.onabort == nil && len(s.listeners) == 0 {
		return
	}
	Dispatch(h, s.object, New(h, "abort"))
}

// AbortError is the default reason (RT10).
func AbortError(h *host.Host) goja.Value {
	return retryable(h, "AbortError", "The operation was aborted")
}

// retryable makes the DOMException of an abort. On the platform an abort travels as an exception of another kind, a
// lost connection, and so it can be retried.
func retryable(h *host.Host, name, message string) goja.Value {
	e := h.Realm.DOMException(name, message)
	_ = e.DefineDataProperty("retryable", h.Runtime().ToValue(true), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	return e
}

// maxDelay is the longest delay of a timer, in milliseconds: 2^31-1. Longer ones are cut to it.
const maxDelay = 1<<31 - 1

// Delay converts a delay in milliseconds as setTimeout does: NaN and negative numbers are 0.
func Delay(v goja.Value) time.Duration {
	ms := v.ToNumber().ToFloat()
	if !(ms > 0) {
		return 0
	}
	return time.Duration(min(ms, maxDelay)) * time.Millisecond
}

func installAbort(h *host.Host, k *classes) {
	r := h.Realm
	k.signal = r.Define(webidl.Spec{
		Name: "AbortSignal", Parent: k.target,
		Members: []webidl.Member{
			webidl.Static("abort", func(c *webidl.Call) goja.Value {
				s := newSignal(h, k)
				s.Abort(h, c.Arg(0))
				return s.object
			}),
			webidl.Static("timeout", func(c *webidl.Call) goja.Value {
				s := newSignal(h, k)
				h.Scope().SetTimer(Delay(c.Require(0, "number")), false, func() {
					h.Guard(func() {
						s.Abort(h, retryable(h, "TimeoutError", "The operation was aborted due to timeout"))
					})
				})
				return s.object
			}),
			webidl.Static("any", func(c *webidl.Call) goja.Value { return anySignal(h, k, c).object }),
			webidl.Getter("aborted", func(s *Signal, c *webidl.Call) goja.Value { return c.Value(s.aborted) }),
			webidl.Getter("reason", func(s *Signal, _ *webidl.Call) goja.Value { return s.Reason() }),
			webidl.Accessor("onabort", func(s *Signal, _ *webidl.Call) goja.Value { return orNull(s.onabort) },
				func(s *Signal, _ *webidl.Call, v goja.Value) { s.onabort = handlerValue(v) }),
			webidl.Method("throwIfAborted", func(s *Signal, _ *webidl.Call) goja.Value {
				if s.aborted {
					r.Throw(s.reason)
				}
				return nil
			}),
		},
	}).Install()
	k.controller = r.Define(webidl.Spec{
		Name: "AbortController",
		New:  func(*webidl.Call) any { return &controller{signal: newSignal(h, k)} },
		Members: []webidl.Member{
			webidl.Getter("signal", func(s *controller, _ *webidl.Call) goja.Value { return s.signal.object }),
			webidl.Method("abort", func(s *controller, c *webidl.Call) goja.Value {
				s.signal.Abort(h, c.Arg(0))
				return nil
			}),
		},
	}).Install()
}

type controller struct{ signal *Signal }

// anySignal follows all signals of the iterable in argument 0.
func anySignal(h *host.Host, k *classes, c *webidl.Call) *Signal {
	var sources []*Signal
	list, ok := c.Arg(0).(*goja.Object)
	if !ok {
		c.ThrowNotOfType(0, "Array")
	}
	c.Runtime().ForOf(list, func(v goja.Value) bool {
		s, ok := SignalOf(h, v)
		if !ok {
			c.ThrowNotOfType(0, "Array")
		}
		sources = append(sources, s)
		return true
	})
	out := newSignal(h, k)
	for _, s := range sources {
		if s.aborted {
			out.Abort(h, s.reason)
			return out
		}
	}
	for _, s := range sources {
		s.OnAbort(func() { out.Abort(h, s.reason) })
	}
	return out
}

// handlerValue is what an event handler attribute keeps when a value is assigned to it: objects only.
func handlerValue(v goja.Value) goja.Value {
	if obj, ok := v.(*goja.Object); ok {
		return obj
	}
	return nil
}
