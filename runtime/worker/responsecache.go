package worker

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/caches"
	"eddy/runtime/webapi/streams"
)

// cachedFetch is FetchAsync behind the cache in front of the Worker, which answers what the Worker has answered before
// and allowed to be kept (BIND-164).
func (iso *Isolate) cachedFetch(ctx context.Context, req *http.Request, o FetchOptions) <-chan FetchResult {
	l := caches.Lookup{Entrypoint: o.Entrypoint, URL: req.URL, Header: req.Header}
	if o.Self != nil {
		l.Props = string(o.Self.Props)
	}
	out := make(chan FetchResult, 1)
	clk := iso.Loop.Clock()
	a, status := iso.opts.Responses.Find(l, clk.Now())
	if a != nil {
		back, release := clock.Away(clk), clk.Hold("a response that nobody has taken")
		out <- FetchResult{Response: &Response{Status: a.Status, StatusText: a.StatusText, Header: a.Header,
			Null: a.Null, Body: io.NopCloser(bytes.NewReader(a.Body)), Length: int64(len(a.Body)), Encoding: a.Encoding,
			Encode: a.Encode, Isolate: iso}, Taken: func() { release(); back() }}
		return out
	}
	pass := iso.opts.Responses.Pass(l, status)
	results := iso.fetchAsync(ctx, req, o)
	go func() {
		r := <-results
		if res := r.Response; res != nil && res.WebSocket == nil {
			pass.Head(caches.Retained{Status: res.Status, StatusText: res.StatusText, Header: res.Header,
				Null: res.Null, Encoding: res.Encoding, Encode: res.Encode}, clk.Now())
			if pass.Keeps {
				res.Body = &keptBody{ReadCloser: res.Body, pass: pass}
			}
		}
		out <- r
	}()
	return out
}

// cacheable tells whether the cache in front of the Worker has to do with a request.
func (iso *Isolate) cacheable(req *http.Request, o *FetchOptions) bool {
	return iso.opts.Responses != nil && o.Run == nil && req.Method == http.MethodGet &&
		!strings.EqualFold(req.Header.Get("Upgrade"), "websocket") && req.Header.Get("Range") == ""
}

// keptBody collects what is read of a body, and hands it to the cache at its end.
type keptBody struct {
	io.ReadCloser
	pass *caches.Pass
	b    []byte
	over bool
}

// Read implements io.Reader.
func (k *keptBody) Read(p []byte) (int, error) {
	n, err := k.ReadCloser.Read(p)
	k.b = append(k.b, p[:n]...)
	if err == io.EOF && !k.over {
		k.over = true
		k.pass.Body(k.b)
	}
	return n, err
}

// Attend implements [clock.Attended].
func (k *keptBody) Attend() (leave func()) { return clock.Attend(k.ReadCloser) }

// Canceled implements streams.Canceler.
func (k *keptBody) Canceled() {
	if c, ok := k.ReadCloser.(streams.Canceler); ok {
		c.Canceled()
	}
}

// cacheKey is the state of a CacheContext: the entrypoint whose responses it purges.
type cacheKey struct{ entrypoint func() string }

// cacheClass is the key of the isolate's CacheContext class.
type cacheClass struct{}

// cacheContext is ctx.cache, undefined unless the configuration enables the cache.
func (iso *Isolate) cacheContext(entrypoint func() string) goja.Value {
	if iso.opts.Responses == nil {
		return goja.Undefined()
	}
	class, ok := iso.Value(cacheClass{}).(*webidl.Interface)
	if !ok {
		purge := func(k *cacheKey, c *webidl.Call) goja.Value { return iso.purge(k, c) }
		class = iso.Realm.Define(webidl.Spec{Name: "CacheContext", Members: []webidl.Member{
			webidl.Async("purge", purge), webidl.Async("invalidate", purge)}})
		iso.SetValue(cacheClass{}, class)
	}
	return class.Wrap(&cacheKey{entrypoint})
}

func (iso *Isolate) purge(k *cacheKey, c *webidl.Call) goja.Value {
	o, ok := c.Arg(0).(*goja.Object)
	if !ok {
		c.ThrowNotOfType(0, "CachePurgeOptions")
	}
	var p caches.Purge
	list := func(name string) (out []string) {
		v := webidl.Option(o, name)
		if v == nil || goja.IsUndefined(v) {
			return nil
		}
		items, ok := v.(*goja.Object)
		if !ok {
			c.ThrowType("Incorrect type for the '%s' field on 'CachePurgeOptions': the provided value is not of type "+
				"'Array'.", name)
		}
		iso.Runtime().ForOf(items, func(v goja.Value) bool {
			out = append(out, webidl.ToString(v))
			return true
		})
		return out
	}
	p.PathPrefixes, p.Tags = list("pathPrefixes"), list("tags")
	if v := webidl.Option(o, "purgeEverything"); v != nil {
		p.Everything = v.ToBoolean()
	}
	iso.opts.Responses.Purge(k.entrypoint(), p)
	res := c.Runtime().NewObject()
	setOwn(res, "success", c.Value(true))
	setOwn(res, "errors", c.Runtime().NewArray())
	return res
}

// moduleCache is cache of cloudflare:workers: that of the entrypoint whose event runs.
func (iso *Isolate) moduleCache() goja.Value {
	return iso.cacheContext(func() string {
		if s := iso.Loop.Scope(); s != nil {
			if inv, ok := s.Owner.(*Invocation); ok {
				return inv.Entrypoint
			}
		}
		return ""
	})
}
