package caches

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/url"
)

// api is what the classes of one isolate share.
type api struct {
	h     *host.Host
	store Store
}

type apiKey struct{}

// SetStore replaces the store behind caches; without it responses are kept in memory.
func SetStore(h *host.Host, s Store) {
	k, ok := h.Value(apiKey{}).(*api)
	if !ok {
		panic("caches: used before Install")
	}
	k.store = s
}

// cache is the state of a Cache.
type cache struct{ name string }

// cacheStorage is the state of the caches object.
type cacheStorage struct{ standard *goja.Object }

// Install puts caches and its classes on the isolate. Package fetch must be installed before.
func Install(h *host.Host) {
	k := &api{h: h, store: &Memory{}}
	h.SetValue(apiKey{}, k)
	notImplemented := func(class, name string) func(*webidl.Call) {
		return func(c *webidl.Call) {
			c.Realm().ThrowError("Error", "Failed to execute '%s' on '%s': the method is not implemented.", name, class)
		}
	}
	members := []webidl.Member{
		webidl.Async("match", func(s *cache, c *webidl.Call) goja.Value { return k.match(s, c) }),
		webidl.Async("put", func(s *cache, c *webidl.Call) goja.Value { return k.put(s, c) }),
		webidl.Async("delete", func(s *cache, c *webidl.Call) goja.Value { return k.delete(s, c) }),
	}
	for _, name := range []string{"add", "addAll", "matchAll", "keys"} {
		refuse := notImplemented("Cache", name)
		members = append(
			members, webidl.Method(name, func(_ *cache, c *webidl.Call) goja.Value { refuse(c); return nil }))
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
		members = append(
			members, webidl.Method(name, func(_ *cacheStorage, c *webidl.Call) goja.Value { refuse(c); return nil }))
	}
	storage := k.h.Realm.Define(webidl.Spec{Name: "CacheStorage", Members: members}).Install()
	k.h.LazyObject("caches", func() goja.Value {
		return storage.Wrap(&cacheStorage{standard: class.Wrap(&cache{name: Default})})
	})
}

// argument is argument 0 as a Request.
func argument(c *webidl.Call, h *host.Host) *fetch.Request {
	return fetch.ToRequest(h, c.Require(0, "Request or string"))
}

// key is cf.cacheKey or the URL.
func (k *api) key(q *fetch.Request) string {
	if cf, ok := q.CF().(*goja.Object); ok {
		if v := webidl.Option(cf, "cacheKey"); v != nil {
			return webidl.ToString(v)
		}
	}
	u, err := url.Parse(q.URL(), "")
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

func (k *api) match(s *cache, c *webidl.Call) goja.Value {
	q := argument(c, k.h)
	if !ignoresMethod(c, 1) && q.Method() != "GET" {
		return goja.Undefined()
	}
	key, store, now := k.key(q), k.store, k.h.Loop.Clock().Now()
	return k.h.Scope().Promise(func() func() (goja.Value, goja.Value) {
		e, err := store.Get(s.name, key)
		return func() (goja.Value, goja.Value) {
			if err != nil {
				return nil, k.broken(err)
			}
			if e == nil || !now.Before(e.Expires) {
				return goja.Undefined(), nil
			}
			e = e.conditional(q.Headers())
			return fetch.NewStoredResponse(k.h, e.Status, e.Header, e.Body), nil
		}
	})
}

func (k *api) put(s *cache, c *webidl.Call) goja.Value {
	r := k.h.Realm
	q := argument(c, k.h)
	res, ok := fetch.ResponseOf(k.h, c.Arg(1))
	if !ok {
		c.ThrowNotOfType(1, "Response")
	}
	if res.Status() == 0 {
		r.ThrowType("Cache is unable to store an error response")
	}
	if q.Method() != "GET" {
		r.ThrowType("Cannot cache response to non-GET request.")
	}
	if res.Status() == 206 {
		r.ThrowType("Cannot cache response to a range request (206 Partial Content).")
	}
	if vary, _ := res.Headers().Get("vary"); vary != "" && strings.Contains(vary, "*") {
		r.ThrowType("Cannot cache response with 'Vary: *' header.")
	}
	if res.WebSocket() != nil {
		r.ThrowType("Cannot cache WebSocket upgrade response.")
	}
	if res.Status() == 304 {
		k.warn("Ignoring attempt to Cache.put() a 304 status response. 304 responses are not meaningful to cache, " +
			"and a potential source of bugs. Consider validating that the response status is meaningful to cache " +
			"before calling Cache.put().")
		return goja.Undefined()
	}
	key, store, scope := k.key(q), k.store, k.h.Scope()
	p, resolve, reject := k.h.Runtime().NewPromise()
	settle := func(failure goja.Value) {
		settled, v := resolve, goja.Undefined()
		if failure != nil {
			settled, v = reject, failure
		}
		if err := settled(v); err != nil {
			panic(err)
		}
	}
	res.ReadWhole(k.h, func(data []byte, failure goja.Value) {
		if failure != nil {
			settle(failure)
			return
		}
		now := k.h.Loop.Clock().Now()
		e := &StoredResponse{Status: res.Status(), StatusText: res.StatusText(), Header: res.Headers().HTTP(),
			Body: data}
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
						settle(k.broken(err))
						return
					}
					settle(nil)
				})
			}()
		})
	})
	return k.h.Runtime().ToValue(p)
}

func (k *api) delete(s *cache, c *webidl.Call) goja.Value {
	q := argument(c, k.h)
	if !ignoresMethod(c, 1) && q.Method() != "GET" {
		return c.Value(false)
	}
	key, store, scope := k.key(q), k.store, k.h.Scope()
	return scope.Promise(func() func() (goja.Value, goja.Value) {
		had, err := store.Delete(s.name, key)
		return func() (goja.Value, goja.Value) {
			if err != nil {
				k.warn(err.Error())
				return nil, k.h.Realm.NewError("Error", "Unable to delete cached response.")
			}
			return k.h.Runtime().ToValue(had), nil
		}
	})
}

// broken is a failure of the store as scripts see it; a person is told what it was.
func (k *api) broken(err error) goja.Value {
	k.warn(err.Error())
	return fetch.NetworkError(k.h, err)
}

func (k *api) warn(text string) {
	if k.h.Log != nil {
		k.h.Log(host.ConsoleLine{Level: host.LevelWarn, Time: k.h.Loop.Clock().Now(), Text: text,
			Scope: k.h.Loop.Scope()})
	}
}
