package eventsource

import (
	"fmt"
	"net/http"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/url"
)

// These are the platform's reconnection times.
const (
	reconnectDefault = 2 * time.Second
	reconnectMin     = time.Second
	reconnectMax     = 10 * time.Second
)

// api is what the sources of one isolate share.
type api struct {
	h     *host.Host
	class *webidl.Interface
}

// eventSource is the state of an EventSource. It is connecting (0), open (1) or closed (2).
type eventSource struct {
	events.Target
	k      *api
	scope  *eventloop.Scope
	object *goja.Object
	// url is nil for a source made from a stream, which does not reconnect.
	url     *url.URL
	fetcher *goja.Object
	state   int
	// round counts connections: what belongs to an earlier one is not heard any more.
	round     int
	abort     *events.Signal
	lastID    string
	reconnect time.Duration
	emptyOnce bool
	handlers  map[string]goja.Value
}

func (k *api) newEventSource() *eventSource {
	if k.h.Loop.Scope() == nil {
		k.h.Realm.ThrowDOM(
			"NotSupportedError", "An EventSource can only be created within the context of a worker request.")
	}
	return &eventSource{k: k, scope: k.h.Scope(), reconnect: reconnectDefault, handlers: map[string]goja.Value{}}
}

// Install puts EventSource on the isolate. Package fetch must be installed before.
func Install(h *host.Host) {
	k := &api{h: h}
	rt := k.h.Runtime()
	handler := func(name string) webidl.Member {
		return webidl.Accessor(name, func(s *eventSource, _ *webidl.Call) goja.Value {
			if v := s.handlers[name]; v != nil {
				return v
			}
			return goja.Null()
		}, func(s *eventSource, _ *webidl.Call, v goja.Value) {
			delete(s.handlers, name)
			if obj, ok := v.(*goja.Object); ok {
				s.handlers[name] = obj
			}
		})
	}
	closing := func(s *eventSource, _ *webidl.Call) goja.Value {
		s.close()
		return nil
	}
	members := []webidl.Member{
		webidl.Method("close", closing),
		webidl.Getter("url", func(s *eventSource, c *webidl.Call) goja.Value {
			if s.url == nil {
				return c.Value("")
			}
			return c.Value(s.url.Href())
		}),
		webidl.Getter("withCredentials", func(_ *eventSource, c *webidl.Call) goja.Value { return c.Value(false) }),
		webidl.Getter("readyState", func(s *eventSource, c *webidl.Call) goja.Value { return c.Value(s.state) }),
		handler("onopen"), handler("onmessage"), handler("onerror"),
		webidl.Const("CONNECTING", 0), webidl.Const("OPEN", 1), webidl.Const("CLOSED", 2),
		webidl.Static("from", func(c *webidl.Call) goja.Value {
			stream, ok := c.Arg(0).(*goja.Object)
			if !ok || !streams.Is(k.h, stream) {
				c.ThrowNotOfType(0, "ReadableStream")
			}
			s := k.newEventSource()
			if streams.Locked(k.h, stream) {
				c.ThrowType("This ReadableStream is locked.")
			}
			if streams.Disturbed(k.h, stream) {
				c.ThrowType("This ReadableStream has already been read from.")
			}
			s.object = k.class.Wrap(s)
			s.open(stream, false)
			return s.object
		}),
	}
	if dispose, ok := rt.Get("Symbol").ToObject(rt).Get("dispose").(*goja.Symbol); ok {
		members = append(members, webidl.SymbolMethod(dispose, "[Symbol.dispose]", closing))
	}
	k.class = k.h.Realm.Define(webidl.Spec{
		Name: "EventSource", Parent: events.TargetClass(k.h),
		Make: func(c *webidl.Call, proto *goja.Object) *goja.Object {
			s := k.newEventSource()
			text := c.USVString(0)
			if o := c.Object(1, "EventSourceInit"); o != nil {
				if v := webidl.Option(o, "withCredentials"); v != nil && v.ToBoolean() {
					k.h.Realm.ThrowDOM(
						"NotSupportedError",
						"The init.withCredentials option is not supported. It must be false or undefined.")
				}
				s.fetcher, _ = webidl.Option(o, "fetcher").(*goja.Object)
			}
			u, err := url.Parse(text, "")
			if err != nil {
				k.h.Realm.ThrowDOM("SyntaxError", "Cannot open an EventSource to '%s'. The URL is invalid.", text)
			}
			s.url = u
			s.object = rt.CreateObject(proto)
			k.h.Realm.SetState(s.object, s)
			s.connect()
			return s.object
		},
		Members: members,
	}).Install()
}

// connect sends the request.
func (s *eventSource) connect() {
	k := s.k
	s.round++
	round := s.round
	s.abort = events.NewSignal(k.h)
	header := http.Header{"Accept": {"text/event-stream"}, "Cache-Control": {"no-cache"}}
	if s.lastID != "" {
		header.Set("Last-Event-Id", s.lastID)
	}
	answer := fetch.Get(k.h, s.url.Href(), header, s.abort, s.fetcher)
	k.h.Realm.Then(answer, func(v goja.Value) {
		if s.round == round && s.state != 2 {
			s.answered(v)
		}
	}, func(v goja.Value) {
		if s.round == round {
			s.fail(v, false)
		}
	})
}

// answered checks the response and begins to read it.
func (s *eventSource) answered(v goja.Value) {
	k := s.k
	refuse := func(format string, args ...any) {
		s.fail(k.h.Realm.DOMException("AbortError", fmt.Sprintf(format, args...)), false)
	}
	res, ok := fetch.ResponseOf(k.h, v)
	if !ok {
		refuse("The response is not a Response.")
		return
	}
	contentType, has := res.Headers().Get("content-type")
	switch {
	case res.Status() < 200 || res.Status() > 299:
		refuse("The response status code was %d.", res.Status())
		return
	case !has:
		refuse("No content type header was present in the response.")
		return
	case fetch.Essence(contentType) != "text/event-stream":
		refuse("The content type '%s' is invalid.", contentType)
		return
	}
	if res.Redirected() {
		if u, err := url.Parse(res.URL(), ""); err == nil {
			s.url = u
		}
	}
	if stream, remote := res.Stream(k.h); stream != nil {
		s.open(stream, remote)
		return
	}
	if s.emptyOnce {
		s.fail(k.h.Realm.NewError("Error", "The server provided no content."), false)
		return
	}
	s.emptyOnce = true
	s.fail(k.h.Realm.NewError("Error", "The server provided no content. Will try reconnecting."), true)
}

// open reads the stream: the parser runs off the loop, events come back in order.
func (s *eventSource) open(stream *goja.Object, remote bool) {
	k, round := s.k, s.round
	s.state = 1
	events.Fire(k.h, s.object, events.NewOpen(k.h))
	if s.round != round || s.state == 2 {
		return
	}
	inContext := k.h.Loop.Snapshot()
	sink := &eventSink{remote: remote, deliver: func(list []serverEvent, lastID string, retry int) {
		s.scope.Enter(func() {
			inContext(func() {
				if s.round == round && s.state != 2 {
					s.deliver(list, lastID, retry)
				}
			})
		})
	}}
	sink.parser.lastID = s.lastID
	sink.parser.retry = func(ms int) { sink.retry = ms }
	streams.Pump(k.h, stream, sink, func(failure goja.Value) {
		// This comes after the events that are on their way.
		s.scope.Enter(func() {
			inContext(func() {
				if s.round != round || s.state == 2 {
					return
				}
				if failure != nil && s.url == nil {
					s.fail(failure, false)
					return
				}
				s.fail(k.h.Realm.NewError("Error", "The server disconnected."), s.url != nil)
			})
		})
	})
}

// eventSink is the streams.Sink that parses. Its methods are called one at a time.
type eventSink struct {
	parser eventParser
	// remote says that a server sends the bytes, when it likes.
	remote  bool
	retry   int
	deliver func(list []serverEvent, lastID string, retry int)
}

// Write implements streams.Sink.
func (e *eventSink) Write(p []byte) error {
	e.retry = -1
	list := e.parser.feed(p)
	e.deliver(list, e.parser.lastID, e.retry)
	return nil
}

// Close implements streams.Sink.
func (e *eventSink) Close() error { return nil }

// Abort implements streams.Sink.
func (e *eventSink) Abort(error) {}

// Waiting implements streams.Patient.
func (e *eventSink) Waiting() bool { return e.remote }

func (s *eventSource) deliver(list []serverEvent, lastID string, retry int) {
	s.lastID = lastID
	if retry >= 0 {
		s.reconnect = min(max(time.Duration(retry)*time.Millisecond, reconnectMin), reconnectMax)
	}
	h := s.k.h
	for _, e := range list {
		ev := events.MessageEvent{
			EventObject: events.EventObject{Type: e.typ}, Data: h.Runtime().ToValue(e.data), LastEventID: e.id}
		if s.url != nil {
			ev.Origin = s.url.Origin()
		}
		if ex := h.Realm.Try(func() { events.Dispatch(h, s.object, events.NewMessage(h, ev)) }); ex != nil {
			s.fail(ex, false)
			return
		}
		if s.state == 2 {
			return
		}
	}
}

// fail fires an error event. If again is set, the source connects once more after its reconnection time.
func (s *eventSource) fail(reason goja.Value, again bool) {
	if s.state == 2 {
		return
	}
	h := s.k.h
	s.round++
	if s.abort != nil {
		abort := s.abort
		h.Guard(func() { abort.Abort(h, reason) })
	}
	s.state = 2
	if again {
		s.state = 0
	}
	events.Fire(h, s.object, events.NewError(h, "", reason))
	h.Report(reason)
	if again && s.state == 0 {
		s.scope.SetTimer(s.reconnect, false, func() {
			if s.state == 0 {
				s.connect()
			}
		})
	}
}

func (s *eventSource) close() {
	if s.state == 2 {
		return
	}
	s.state = 2
	s.round++
	if s.abort != nil {
		s.abort.Abort(s.k.h, nil)
	}
}
