package websocket

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/url"
)

// deflates tells whether sockets of this isolate offer permessage-deflate.
func (k *kit) deflates() bool { return k.h.Flag == nil || k.h.Enabled("web_socket_compression") }

// connect makes the end that stands for a network connection.
func connect(c *Conn) *End {
	local, remote := NewPipe()
	local.Protocol, local.Extensions = c.Protocol, c.Extensions
	Couple(remote, c, nil)
	return local
}

// Dial implements fetch.Upgrader: fetch() with an Upgrade header.
func (k *kit) Dial(scope *eventloop.Scope, q *fetch.OutRequest, answer func(fetch.TransportAnswer)) (cancel func()) {
	return k.through(fetch.RoundTripper(k.h), scope, q, answer)
}

// Through is the Transport of requests with an Upgrade header that go another way than to the outside.
func Through(h *host.Host, rt http.RoundTripper) fetch.Transport {
	return func(scope *eventloop.Scope, q *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
		return h.Value(kitKey{}).(*kit).through(rt, scope, q, answer)
	}
}

func (k *kit) through(rt http.RoundTripper, scope *eventloop.Scope, q *fetch.OutRequest,
	answer func(fetch.TransportAnswer)) (cancel func()) {
	ctx, stop := context.WithCancel(scope.Context())
	header := q.Header
	hostname := header.Get("Host")
	for _, name := range []string{"Host", "Content-Length", "Sec-Websocket-Extensions"} {
		header.Del(name)
	}
	if k.deflates() {
		header.Set("Sec-Websocket-Extensions", "permessage-deflate")
	}
	t := scope.Ticket()
	go func() {
		// The connection outlives the context that dialling is bound to, and ends with the scope through its socket.
		conn, res, err := Dial(context.WithoutCancel(ctx), withContext{rt, ctx}, q.URL, hostname, header)
		keep := closeWith(scope, conn)
		t.Return(func() {
			keep()
			switch {
			case err != nil:
				stop()
				answer(fetch.TransportAnswer{Failure: fetch.NetworkError(k.h, err)})
			case conn == nil:
				answer(fetch.TransportAnswer{Parts: fetch.PartsOf(res)})
			default:
				answer(fetch.TransportAnswer{Parts: &fetch.Parts{
					Status: res.StatusCode, StatusText: "Switching Protocols", Header: res.Header,
					WebSocket: Wrap(k.h, connect(conn)),
				}})
			}
		})
	}()
	return stop
}

// closeWith closes a new connection if its scope ends before the loop has taken the connection over. The loop then
// calls keep.
func closeWith(scope *eventloop.Scope, c *Conn) (keep func()) {
	if c == nil {
		return func() {}
	}
	stop := context.AfterFunc(scope.Context(), func() { _ = c.Close() })
	return func() { stop() }
}

// withContext binds a round trip to a second context until its response is there.
type withContext struct {
	http.RoundTripper
	ctx context.Context
}

// RoundTrip implements http.RoundTripper.
func (t withContext) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(t.ctx, cancel)
	res, err := t.RoundTripper.RoundTrip(req.WithContext(ctx))
	if !stop() && err == nil {
		_ = res.Body.Close()
		return nil, t.ctx.Err()
	}
	if err != nil {
		cancel()
	}
	return res, err
}

// construct is `new WebSocket(url, protocols)`.
func (k *kit) construct(c *webidl.Call, proto *goja.Object) *goja.Object {
	r := k.h.Realm
	refuse := func(text string) { r.ThrowDOM("SyntaxError", "WebSocket Constructor: %s", text) }
	scope := k.h.Scope()
	text := c.USVString(0)
	u, err := url.Parse(text, "")
	if err != nil {
		refuse("The url is invalid.")
	}
	if u.Scheme() != "ws" && u.Scheme() != "wss" {
		refuse("The url scheme must be ws or wss.")
	}
	if strings.Contains(u.Href(), "#") {
		refuse("The url fragment must be empty.")
	}
	header := http.Header{}
	if !c.Missing(1) {
		if p := k.protocols(c.Arg(1), refuse); p != "" {
			header.Set("Sec-Websocket-Protocol", p)
		}
	}
	if k.deflates() {
		header.Set("Sec-Websocket-Extensions", "permessage-deflate")
	}
	placeholder, _ := NewPipe()
	placeholder.URL, placeholder.HasURL = text, true
	placeholder.HasProtocol, placeholder.HasExtensions = true, true
	s := &socket{h: k.h, end: placeholder, phase: connecting, outside: true,
		blob: k.h.Enabled("websocket_standard_binary_type")}
	s.object = k.h.Runtime().CreateObject(proto)
	r.SetState(s.object, s)
	ctx, stop := context.WithCancel(scope.Context())
	s.cancelDial = stop
	target := "http" + strings.TrimPrefix(u.Href(), "ws")
	scope.Output(func(err error) {
		if err != nil {
			stop()
			if !scope.Closed() {
				k.dialFailed(s, r.ErrorValue(err))
			}
			return
		}
		k.dial(scope, s, ctx, target, header)
	})
	return s.object
}

func (k *kit) dial(scope *eventloop.Scope, s *socket, ctx context.Context, target string, header http.Header) {
	rt := fetch.RoundTripper(k.h)
	t := scope.Ticket()
	go func() {
		conn, res, err := Dial(context.WithoutCancel(ctx), withContext{rt, ctx}, target, "", header)
		if res != nil && conn == nil && res.Body != nil {
			_ = res.Body.Close()
		}
		keep := closeWith(scope, conn)
		t.Return(func() {
			keep()
			switch {
			case s.phase == released:
				if conn != nil {
					_ = conn.Close()
				}
				k.dialFailed(s, k.h.Realm.NewError("Error", "Called close before connection was established."))
			case err != nil:
				k.dialFailed(s, fetch.NetworkError(k.h, err))
			case conn == nil:
				k.dialFailed(s, k.h.Realm.TypeError("Failed to establish the WebSocket connection: expected server "+
					"to reply with HTTP status code 101 (switching protocols), but received %d instead.",
					res.StatusCode))
			default:
				k.opened(s, conn)
			}
		})
	}()
}

func (k *kit) opened(s *socket, conn *Conn) {
	e := connect(conn)
	e.URL, e.HasURL, e.HalfOpen = s.end.URL, true, k.halfOpenByDefault()
	_, e.HasProtocol = conn.Protocol, conn.Protocol != ""
	e.HasExtensions = conn.Extensions != ""
	e.object, e.holder = s.object, k.h
	s.end = e
	s.start()
	events.Fire(k.h, s.object, events.New(k.h, "open"))
}

// dialFailed fires error and then close.
func (k *kit) dialFailed(s *socket, err goja.Value) {
	s.end.ClosedIn = true
	s.fail(err)
	events.Fire(k.h, s.object, events.NewClose(k.h, 1006, "Failed to establish websocket connection", false))
}

// protocols reads the constructor's second argument into a header value.
func (k *kit) protocols(v goja.Value, refuse func(string)) string {
	list, ok := v.(*goja.Object)
	if !ok {
		p := webidl.ToString(v)
		if !validProtocol(p) {
			refuse("The protocol header token is invalid.")
		}
		return p
	}
	var all []string
	k.h.Runtime().ForOf(list, func(v goja.Value) bool {
		p := webidl.ToString(v)
		if !validProtocol(p) {
			refuse("One of the protocol header tokens is invalid.")
		}
		if slices.Contains(all, p) {
			refuse("The protocols header cannot have repeating values.")
		}
		all = append(all, p)
		return true
	})
	return strings.Join(all, ", ")
}

func validProtocol(p string) bool {
	for i := range len(p) {
		if c := p[i]; c < 0x21 || c > 0x7e || strings.IndexByte(`()<>@,;:\/[]?={}`, c) >= 0 {
			return false
		}
	}
	return p != ""
}
