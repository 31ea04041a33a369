package fetch

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/url"
)

// methods are those that the platform can send.
var methods = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(
		`GET HEAD POST PUT DELETE PATCH PURGE OPTIONS TRACE COPY LOCK MKCOL MOVE PROPFIND
		PROPPATCH SEARCH UNLOCK ACL REPORT MKACTIVITY CHECKOUT MERGE MSEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE QUERY BAN`) {
		m[name] = true
	}
	return m
}()

// newRequest is the Request constructor (https://fetch.spec.whatwg.org/#dom-request). init may be nil.
func (k *classes) newRequest(input, init goja.Value) *Request {
	r := k.h.Realm
	other, isRequest := RequestOf(k.h, init)
	var o *goja.Object
	if !isRequest && init != nil && !goja.IsUndefined(init) && !goja.IsNull(init) {
		var ok bool
		if o, ok = init.(*goja.Object); !ok {
			r.ThrowType("Failed to construct 'Request': constructor parameter 2 is not of type " +
				"'RequestInitializerDict or Request'.")
		}
	}
	var body goja.Value
	if o != nil {
		body = o.Get("body")
		k.validateInit(o)
	}
	bodyGiven := body != nil && !goja.IsUndefined(body)

	q := &Request{method: "GET"}
	if old, ok := RequestOf(k.h, input); ok {
		ignoreBody := isRequest || bodyGiven
		if !ignoreBody && k.disturbed(&old.Body) {
			r.ThrowType("%s", errBodyRebuild)
		}
		var moved Body
		if !ignoreBody {
			moved = k.detachBody(&old.Body)
		}
		q = old.clone(k, moved)
	} else {
		q.url = k.parseURL(webidl.USVString(input))
	}
	switch {
	case isRequest:
		u := q.url
		if k.disturbed(&other.Body) {
			r.ThrowType("%s", errBodyDisturb)
		}
		q = other.clone(k, k.shareBody(&other.Body))
		q.url = u
	case o != nil:
		k.applyInit(q, o, body, bodyGiven)
	}
	if q.hdr == nil {
		q.hdr = &Headers{}
	}
	return q
}

// shareBody takes the body of a Request that stands in the place of an init dictionary. That Request keeps it.
func (k *classes) shareBody(b *Body) Body {
	if !b.present || b.buffered && b.stream == nil {
		return *b
	}
	return streamBody(k.bodyObject(b).(*goja.Object))
}

func (k *classes) parseURL(input string) string {
	u, err := url.Parse(input, "")
	if err != nil {
		k.h.Realm.ThrowType("Invalid URL: %s", input)
	}
	if k.h.Enabled("fetch_legacy_url") {
		return input // before 2024-06-03 a Request kept its URL as it was given
	}
	return u.Href()
}

// applyInit takes over what the init dictionary gives.
func (k *classes) applyInit(q *Request, o *goja.Object, body goja.Value, bodyGiven bool) {
	r := k.h.Realm
	if v := webidl.Option(o, "integrity"); v != nil && webidl.ToString(v) != "" {
		r.ThrowType("Subrequest integrity checking is not implemented. The integrity option must be either undefined " +
			"or an empty string.")
	}
	methodGiven := false
	if v := webidl.Option(o, "method"); v != nil {
		name := webidl.ToString(v)
		if q.method = strings.ToUpper(name); !methods[q.method] {
			r.ThrowType("Invalid HTTP method string: %s", name)
		}
		methodGiven = true
	}
	if v := webidl.Option(o, "headers"); v != nil {
		q.hdr, q.hdrObj = k.headersFrom(v), nil
	}
	if v := webidl.Option(o, "fetcher"); v != nil {
		q.fetcher = v
	}
	if v := webidl.Option(o, "signal"); v != nil {
		if goja.IsNull(v) {
			q.signal = nil
		} else if s, ok := events.SignalOf(k.h, v); ok {
			if q.signal = s; s.Never {
				// The script sees such a signal, but it cannot abort anything.
				q.signal, q.idle = nil, s
			}
		} else {
			r.ThrowType("Incorrect type for the 'signal' field on 'RequestInitializerDict': the provided value is " +
				"not of type 'AbortSignal'.")
		}
	}
	if v := webidl.Option(o, "cf"); v != nil {
		q.cf = lazyValue{value: k.jsonClone(v)}
	}
	noBody := q.method == "GET" || q.method == "HEAD"
	if bodyGiven && !goja.IsNull(body) {
		var contentType string
		q.Body, contentType = k.extract(body)
		if noBody {
			r.ThrowType("%s", errBodyOfGet)
		}
		if contentType != "" && !q.Headers().Has("content-type") {
			q.Headers().Set("Content-Type", contentType)
		}
	} else if bodyGiven {
		q.Body = Body{}
	}
	if v := webidl.Option(o, "redirect"); v != nil {
		switch strings.ToLower(webidl.ToString(v)) {
		case "follow":
			q.manual = false
		case "manual":
			q.manual = true
		default:
			r.ThrowType(`Invalid redirect value, must be one of "follow" or "manual" ("error" won't be implemented ` +
				`since it does not make sense at the edge; use "manual" and check the response status code).`)
		}
	}
	if v := webidl.Option(o, "cache"); v != nil {
		q.cache = webidl.ToString(v)
	}
	if v := webidl.Option(o, "encodeResponseBody"); v != nil {
		q.manualEncoding = webidl.ToString(v) == "manual"
	}
	// If neither method nor body changed, an incoming GET with a body is passed on as it is.
	if (methodGiven || bodyGiven) && noBody && q.present {
		r.ThrowType("%s", errBodyOfGet)
	}
}

// validateInit checks what the platform checks before it reads the dictionary's members.
func (k *classes) validateInit(o *goja.Object) {
	r := k.h.Realm
	cache := webidl.Option(o, "cache")
	if cache != nil {
		if k.h.Flag != nil && !k.h.Enabled("cache_option_enabled") {
			r.ThrowError("Error", "The 'cache' field on 'RequestInitializerDict' is not implemented.")
		}
		mode := webidl.ToString(cache)
		switch {
		case mode == "no-store":
		case mode == "no-cache" && k.h.Enabled("cache_no_cache_enabled"):
		case mode == "reload" && k.h.Enabled("cache_reload_enabled"):
		default:
			r.ThrowType("Unsupported cache mode: %s", mode)
		}
	}
	if cf, ok := webidl.Option(o, "cf").(*goja.Object); ok && webidl.Option(cf, "cacheControl") != nil {
		if webidl.Option(cf, "cacheTtl") != nil {
			r.ThrowType("The 'cacheControl' and 'cacheTtl' options on cf are mutually exclusive. Use 'cacheControl' " +
				"for explicit Cache-Control header directives, or 'cacheTtl' for a simplified TTL, but not both.")
		}
		if cache != nil {
			r.ThrowType("The 'cacheControl' option on cf cannot be used together with the 'cache' request option. " +
				"The 'cache' option ('no-store'/'no-cache') maps to cache TTL behavior internally, which conflicts " +
				"with explicit Cache-Control directives.")
		}
	}
	if v := webidl.Option(o, "encodeResponseBody"); v != nil {
		if s := webidl.ToString(v); s != "manual" && s != "automatic" {
			r.ThrowType("encodeResponseBody: unexpected value: %s", s)
		}
	}
}
