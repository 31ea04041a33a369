package fetch

import (
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/url"
)

// Response is the state of a Response object.
type Response struct {
	Body
	status int
	// reason is the status text that it was given.
	reason string
	// hdr is made when first touched; until then contentType is the only header.
	hdr         *Headers
	contentType string
	hdrObj      *goja.Object
	cf          lazyValue
	// urls are the URLs gone through, the last without its fragment; empty for responses that scripts made.
	urls []string
	// socket is the WebSocket of a 101 response.
	socket *goja.Object
	// manual is encodeBody: "manual".
	manual bool
}

func (s *Response) body() *Body           { return &s.Body }
func (s *Response) bodyHeaders() *Headers { return s.Headers() }

// Headers is the header list.
func (s *Response) Headers() *Headers {
	if s.hdr == nil {
		s.hdr = &Headers{}
		if s.contentType != "" {
			s.hdr.Set("Content-Type", s.contentType)
			s.contentType = ""
		}
	}
	return s.hdr
}

// StatusText is the status text that the response was made with. A response from elsewhere was made with that of its
// status.
func (s *Response) StatusText() string { return s.reason }

// reasonPhrase is what goes out in the status line.
func (s *Response) reasonPhrase() string {
	if s.reason != "" {
		return s.reason
	}
	return statusText(s.status)
}

// Status is the status code, 0 for Response.error().
func (s *Response) Status() int { return s.status }

// WebSocket is the WebSocket of a 101 response, nil for any other.
func (s *Response) WebSocket() *goja.Object { return s.socket }

// URL is the last URL gone through, without its fragment; "" for a response that a script made.
func (s *Response) URL() string {
	if len(s.urls) == 0 {
		return ""
	}
	return s.urls[len(s.urls)-1]
}

// Redirected tells whether more than one URL was gone through.
func (s *Response) Redirected() bool { return len(s.urls) > 1 }

// ResponseOf is the state behind a Response object.
func ResponseOf(h *host.Host, v goja.Value) (*Response, bool) {
	return webidl.StateOf[*Response](h.Realm, v)
}

// IsResponse tells whether v is a Response. A fetch handler that returns anything else fails with CL6's text.
func IsResponse(h *host.Host, v goja.Value) bool {
	_, ok := ResponseOf(h, v)
	return ok
}

// newResponse is the Response constructor. init may be nil, an object or a Response.
func (k *classes) newResponse(body, init goja.Value) *Response {
	s := &Response{status: 200}
	if init != nil && !goja.IsUndefined(init) && !goja.IsNull(init) {
		if other, ok := ResponseOf(k.h, init); ok {
			s.status, s.reason, s.manual, s.socket = other.status, other.reason, other.manual, other.socket
			s.hdr, s.cf = other.Headers().Clone(), k.cloneCF(&other.cf)
		} else {
			k.applyResponseInit(s, init)
		}
	}
	r := k.h.Realm
	if s.socket == nil {
		if s.status < 200 || s.status > 599 {
			r.ThrowError("RangeError",
				"Responses may only be constructed with status codes in the range 200 to 599, inclusive.")
		}
	} else if s.status != 101 {
		r.ThrowError("RangeError", "Responses with a WebSocket must have status code 101.")
	}
	if strings.ContainsFunc(s.reason, func(c rune) bool { return c < 0x20 }) {
		r.ThrowType("Invalid statusText")
	}
	if body == nil || goja.IsUndefined(body) || goja.IsNull(body) {
		return s
	}
	var contentType string
	s.Body, contentType = k.extract(body)
	if nullBodyStatus(s.status) {
		if !s.buffered || len(s.buffer) > 0 {
			r.ThrowType("%s", errNullBody)
		}
		if k.h.Log != nil {
			k.h.Log(host.ConsoleLine{Level: host.LevelWarn, Time: k.h.Loop.Clock().Now(),
				Text: fmt.Sprintf(warnNullBody, s.status, s.status), Scope: k.h.Loop.Scope()})
		}
		s.Body = Body{}
		return s
	}
	if contentType != "" {
		if s.hdr == nil {
			s.contentType = contentType
		} else if !s.hdr.Has("content-type") {
			s.hdr.Set("Content-Type", contentType)
		}
	}
	return s
}

func (k *classes) applyResponseInit(s *Response, init goja.Value) {
	r := k.h.Realm
	o, ok := init.(*goja.Object)
	if !ok {
		r.ThrowType("Failed to construct 'Response': constructor parameter 2 is not of type 'InitializerDict or " +
			"Response'.")
	}
	if v := webidl.Option(o, "status"); v != nil {
		s.status = int(r.Int32(v))
	}
	if v := webidl.Option(o, "statusText"); v != nil {
		s.reason = webidl.ToString(v)
	}
	if v := webidl.Option(o, "encodeBody"); v != nil {
		switch mode := webidl.ToString(v); mode {
		case "manual":
			s.manual = true
		case "automatic":
		default:
			r.ThrowType("encodeBody: unexpected value: %s", mode)
		}
	}
	if v := webidl.Option(o, "headers"); v != nil {
		s.hdr = k.headersFrom(v)
	}
	if v := webidl.Option(o, "cf"); v != nil {
		s.cf = lazyValue{value: k.jsonClone(v)}
	}
	if v := webidl.Option(o, "webSocket"); v != nil && !goja.IsNull(v) {
		if k.upgrader == nil || !k.upgrader.IsWebSocket(v) {
			r.ThrowType("Incorrect type for the 'webSocket' field on 'InitializerDict': the provided value is not of " +
				"type 'WebSocket'.")
		}
		s.socket = v.(*goja.Object)
	}
}

func (k *classes) defineResponse() {
	rt := k.h.Runtime()
	str := func(name string, get func(s *Response) string) webidl.Member {
		return webidl.Getter(name, func(s *Response, _ *webidl.Call) goja.Value { return rt.ToValue(get(s)) })
	}
	k.response = k.h.Realm.Define(webidl.Spec{
		Name: "Response", Parent: k.bodyClass,
		New: func(c *webidl.Call) any { return k.newResponse(c.Arg(0), c.Arg(1)) },
		Members: []webidl.Member{
			webidl.Static("error", func(*webidl.Call) goja.Value { return k.response.Wrap(&Response{}) }),
			webidl.Static("redirect",
				func(c *webidl.Call) goja.Value { return k.response.Wrap(k.redirectResponse(c)) }),
			webidl.Static("json", func(c *webidl.Call) goja.Value {
				s := k.newResponse(rt.ToValue(k.stringify(c.Require(0, "JsonValue"))), c.Arg(1))
				if s.hdr == nil {
					s.contentType = "application/json"
				} else if init := c.Arg(1); !k.namesContentType(init) {
					s.hdr.Set("Content-Type", "application/json")
				}
				return k.response.Wrap(s)
			}),
			webidl.Method("clone", func(s *Response, _ *webidl.Call) goja.Value {
				if s.socket != nil {
					k.h.Realm.ThrowType("Cannot clone a response to a WebSocket handshake.")
				}
				n := &Response{Body: k.teeBody(&s.Body), status: s.status, reason: s.reason, cf: k.cloneCF(&s.cf),
					urls: s.urls}
				n.hdr = s.Headers().Clone()
				n.hdr.immutable = s.hdr.immutable
				return k.response.Wrap(n)
			}),
			webidl.Getter("status", func(s *Response, c *webidl.Call) goja.Value { return c.Value(s.status) }),
			str("statusText", (*Response).StatusText),
			webidl.Getter("headers", func(s *Response, _ *webidl.Call) goja.Value {
				if s.hdrObj == nil {
					s.hdrObj = k.headers.Wrap(s.Headers())
				}
				return s.hdrObj
			}),
			webidl.Getter("ok",
				func(s *Response, c *webidl.Call) goja.Value { return c.Value(s.status >= 200 && s.status < 300) }),
			webidl.Getter("redirected",
				func(s *Response, c *webidl.Call) goja.Value { return c.Value(s.Redirected()) }),
			str("url", (*Response).URL),
			webidl.Getter("webSocket", func(s *Response, _ *webidl.Call) goja.Value {
				if s.socket == nil {
					return goja.Null()
				}
				return s.socket
			}),
			webidl.Getter("cf", func(s *Response, _ *webidl.Call) goja.Value { return s.cf.get() }),
			str("type", func(s *Response) string {
				if s.status == 0 {
					return "error"
				}
				return "default"
			}),
		},
	}).Install()
}

// namesContentType tells whether the headers that a Response init gives name a content type.
func (k *classes) namesContentType(init goja.Value) bool {
	if s, ok := ResponseOf(k.h, init); ok {
		return s.Headers().Has("content-type")
	}
	o, ok := init.(*goja.Object)
	return ok && k.headersFrom(webidl.Option(o, "headers")).Has("content-type")
}

func (k *classes) redirectResponse(c *webidl.Call) *Response {
	target, status := c.USVString(0), 302
	if !c.Missing(1) {
		status = int(k.h.Realm.Int32(c.Arg(1)))
	}
	if !redirectStatus(status) {
		k.h.Realm.ThrowError(
			"RangeError", "%d is not a redirect status code. It must be one of: 301, 302, 303, 307, or 308.", status)
	}
	u, err := url.Parse(target, "")
	if err != nil {
		k.h.Realm.ThrowType("Unable to parse URL: %s", target)
	}
	s := &Response{status: status, hdr: &Headers{}}
	s.hdr.Set("Location", u.Href())
	s.hdr.immutable = true
	return s
}
