package fetch

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/webapi/host"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/url"
	"eddy/runtime/webidl"
)

// SetCacheStore replaces the store behind caches; without it responses are kept in memory.
func SetCacheStore(h *host.Host, s CacheStore) { of(h).cacheStore = s }

// cache is the state of a Cache.
type cache struct{ name string }

// cacheStorage is the state of the caches object.
type cacheStorage struct{ standard *goja.Object }

func (k *classes) defineCaches() {
	notImplemented := func(class, name string) func(*webidl.Call) {
		return func(c *webidl.Call) {
			c.Realm().ThrowError("Error", "Failed to execute '%s' on '%s': the method is not implemented.", name, class)
		}
	}
	members := []webidl.Member{
		webidl.Async("match", func(s *cache, c *webidl.Call) goja.Value { return k.cacheMatch(s, c) }),
		webidl.Async("put", func(s *cache, c *webidl.Call) goja.Value { return k.cachePut(s, c) }),
		webidl.Async("delete", func(s *cache, c *webidl.Call) goja.Value { return k.cacheDelete(s, c) }),
	}
	for _, name := range []string{"add", "addAll", "matchAll", "keys"} {
		refuse := notImplemented("Cache", name)
		members = append(members, webidl.Method(name, func(_ *cache, c *webidl.Call) goja.Value { refuse(c); return nil }))
	}
	class := k.h.Realm.Define(webidl.Spec{Name: "Cache", Members: members}).Install()
	members = []webidl.Member{
		webidl.Async("open", func(_ *cacheStorage, c *webidl.Call) goja.Value {
			name := c.String(0)
			if len(name) >= 1024 {
				c.ThrowType("Cache name is too long.")
			}
			return class.Wrap(&cache{name: name})
		}),
		webidl.Getter("default", func(s *cacheStorage, _ *webidl.Call) goja.Value { return s.standard }),
	}
	for _, name := range []string{"delete", "match", "has", "keys"} {
		refuse := notImplemented("CacheStorage", name)
		members = append(members, webidl.Method(name, func(_ *cacheStorage, c *webidl.Call) goja.Value { refuse(c); return nil }))
	}
	storage := k.h.Realm.Define(webidl.Spec{Name: "CacheStorage", Members: members}).Install()
	k.cacheStore = &MemoryCache{}
	k.h.Lazy("caches", func() goja.Value {
		return storage.Wrap(&cacheStorage{standard: class.Wrap(&cache{name: DefaultCache})})
	})
}

// cacheRequest is argument 0 as a Request.
func (k *classes) cacheRequest(c *webidl.Call) *Request {
	v := c.Require(0, "Request or string")
	if q, ok := RequestOf(k.h, v); ok {
		return q
	}
	return k.newRequest(v, goja.Undefined())
}

// cacheKey is cf.cacheKey or the URL.
func (k *classes) cacheKey(q *Request) string {
	if cf, ok := q.cf.get().(*goja.Object); ok {
		if v := webidl.Option(cf, "cacheKey"); v != nil {
			return webidl.ToString(v)
		}
	}
	u, err := url.Parse(q.url, "")
	if err != nil || u.Scheme() != "http" && u.Scheme() != "https" {
		k.h.Realm.ThrowType("Invalid URL. Cache API keys must be fully-qualified, valid URLs.")
	}
	return u.HrefWithoutFragment()
}

func ignoresMethod(c *webidl.Call, i int) bool {
	o := c.Object(i, "CacheQueryOptions")
	for _, name := range []string{"ignoreSearch", "ignoreVary", "cacheName"} {
		if webidl.Option(o, name) != nil {
			c.Realm().ThrowError("Error", "The '%s' field on 'CacheQueryOptions' is not implemented.", name)
		}
	}
	v := webidl.Option(o, "ignoreMethod")
	return v != nil && v.ToBoolean()
}

func (k *classes) cacheMatch(s *cache, c *webidl.Call) goja.Value {
	q := k.cacheRequest(c)
	if !ignoresMethod(c, 1) && q.method != "GET" {
		return goja.Undefined()
	}
	key, store, now := k.cacheKey(q), k.cacheStore, k.h.Loop.Clock().Now()
	return k.h.Scope().Promise(func() func() (goja.Value, goja.Value) {
		e, err := store.Get(s.name, key)
		return func() (goja.Value, goja.Value) {
			if err != nil {
				return nil, k.networkError(err)
			}
			if e == nil || !now.Before(e.Expires) {
				return goja.Undefined(), nil
			}
			e = e.conditional(q.headers())
			res := &Response{status: e.Status, hdr: NewHeaders(e.Header)}
			if !nullBodyStatus(e.Status) {
				res.Body = bufferBody(e.Body)
			}
			return k.response.Wrap(res), nil
		}
	})
}

func (k *classes) cachePut(s *cache, c *webidl.Call) goja.Value {
	r := k.h.Realm
	q := k.cacheRequest(c)
	res, ok := ResponseOf(k.h, c.Arg(1))
	if !ok {
		c.ThrowNotOfType(1, "Response")
	}
	if res.status == 0 {
		r.ThrowType("Cache is unable to store an error response")
	}
	if q.method != "GET" {
		r.ThrowType("Cannot cache response to non-GET request.")
	}
	if res.status == 206 {
		r.ThrowType("Cannot cache response to a range request (206 Partial Content).")
	}
	if vary, _ := res.headers().Get("vary"); vary != "" && strings.Contains(vary, "*") {
		r.ThrowType("Cannot cache response with 'Vary: *' header.")
	}
	if res.socket != nil {
		r.ThrowType("Cannot cache WebSocket upgrade response.")
	}
	if res.status == 304 {
		k.warn("Ignoring attempt to Cache.put() a 304 status response. 304 responses are not meaningful to cache, and a potential source of bugs. Consider validating that the response status is meaningful to cache before calling Cache.put().")
		return goja.Undefined()
	}
	key, store, scope := k.cacheKey(q), k.cacheStore, k.h.Scope()
	p, resolve, reject := k.h.Runtime().NewPromise()
	settle := func(failure goja.Value) {
		k.settle(resolve, reject, failure, func() goja.Value { return goja.Undefined() })
	}
	k.whole(res, func(data []byte, failure goja.Value) {
		if failure != nil {
			settle(failure)
			return
		}
		now := k.h.Loop.Clock().Now()
		e := &CacheEntry{Status: res.status, StatusText: res.text(), Header: res.headers().HTTP(), Body: data}
		e.Header.Set("Content-Length", strconv.Itoa(len(data)))
		d, storable := lifetime(e.Status, e.Header, now)
		if !storable {
			settle(nil)
			return
		}
		e.Expires = now.Add(d)
		scope.Output(func(err error) {
			if err != nil {
				if !scope.Closed() {
					settle(r.ErrorValue(err))
				}
				return
			}
			t := scope.Ticket()
			go func() {
				err := store.Put(s.name, key, e)
				t.Return(func() {
					if err != nil {
						settle(k.networkError(err))
						return
					}
					settle(nil)
				})
			}()
		})
	})
	return k.h.Runtime().ToValue(p)
}

// whole reads a response's body, which counts as used then. A body under a content coding is stored decoded.
func (k *classes) whole(res *Response, done func(data []byte, failure goja.Value)) {
	b := &res.Body
	if b.present && k.disturbed(b) {
		k.h.Realm.ThrowType("%s", errBodyUsed)
	}
	if b.present && b.stream == nil && !b.buffered {
		k.bodyObject(b)
	}
	switch {
	case !b.present:
		done(nil, nil)
	case b.stream != nil:
		if streams.Locked(k.h, b.stream) {
			k.h.Realm.ThrowType("%s", errBodyLocked)
		}
		if b.encoding != "" {
			res.headers().Delete("content-encoding")
		}
		streams.ReadAll(k.h, b.stream, maxBufferedBody, done)
	default:
		b.used = true
		done(b.buffer, nil)
	}
}

func (k *classes) cacheDelete(s *cache, c *webidl.Call) goja.Value {
	q := k.cacheRequest(c)
	if !ignoresMethod(c, 1) && q.method != "GET" {
		return c.Value(false)
	}
	key, store, scope := k.cacheKey(q), k.cacheStore, k.h.Scope()
	return scope.Promise(func() func() (goja.Value, goja.Value) {
		had, err := store.Delete(s.name, key)
		return func() (goja.Value, goja.Value) {
			if err != nil {
				return nil, k.h.Realm.NewError("Error", "Unable to delete cached response.")
			}
			return k.h.Runtime().ToValue(had), nil
		}
	})
}

func (k *classes) warn(text string) {
	if k.h.Log != nil {
		k.h.Log(host.Entry{Level: host.LevelWarn, Time: k.h.Loop.Clock().Now(), Text: text, Scope: k.h.Loop.Scope()})
	}
}
