package assets

import (
	_ "embed"
	"net/http"
	"net/url"
	"os"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/worker"
)

// Binding is the binding of a Site: env[Key].fetch() answers from the files.
type Binding struct {
	Key  string
	Site *Site
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	binding := rpc.Of(iso.Host).NewFetcher(&rpc.Fetcher{
		Client: rpc.Broken{Failure: rpc.FailType("An assets binding has no method but fetch(), " +
			"unstable_getByPathname(), unstable_getByETag(), unstable_exists() and unstable_canFetch().")},
		Fetch: b.sender(iso),
	})
	_, err := iso.Internal("cloudflare-internal:assets-binding", methods, binding,
		b.method(iso, b.read), b.method(iso, b.tag), b.method(iso, b.tagged), b.method(iso, b.answers))
	return binding, err
}

//go:embed rpc.js
var methods string

// method makes a function of texts whose work is done off the loop.
func (b Binding) method(
	iso *worker.Isolate, work func(args []string) (func(*worker.Isolate) goja.Value, error)) goja.Value {
	failure := func(err error) goja.Value { return iso.Realm.NewError("Error", err.Error()) }
	return iso.Realm.Function("asset", func(fc goja.FunctionCall) goja.Value {
		var args []string
		for _, a := range fc.Arguments {
			args = append(args, a.String())
		}
		return iso.Host.Scope().Request(func() func() (goja.Value, goja.Value) {
			value, err := work(args)
			return func() (goja.Value, goja.Value) {
				if err != nil {
					return nil, failure(err)
				}
				return value(iso), nil
			}
		}, failure)
	})
}

func null(*worker.Isolate) goja.Value { return goja.Null() }

// read returns the content and the type of the file at exactly that path. No rule applies.
func (b Binding) read(args []string) (func(*worker.Isolate) goja.Value, error) {
	file := b.Site.file(args[0])
	if file == "" {
		return null, nil
	}
	data, err := os.ReadFile(file)
	return func(iso *worker.Isolate) goja.Value {
		o := iso.Runtime().NewObject()
		_ = o.Set("body", iso.Realm.ArrayBuffer(data))
		if t := contentType(args[0]); t != "" {
			_ = o.Set("type", t)
		}
		return o
	}, err
}

// tag gives the ETag of the file at exactly that path, null if there is none.
func (b Binding) tag(args []string) (func(*worker.Isolate) goja.Value, error) {
	file := b.Site.file(args[0])
	if file == "" {
		return null, nil
	}
	tag, err := b.Site.etag(file)
	return func(iso *worker.Isolate) goja.Value { return iso.Runtime().ToValue(tag) }, err
}

// tagged gives the path of a file that has an ETag, null if there is none.
func (b Binding) tagged(args []string) (func(*worker.Isolate) goja.Value, error) {
	p, err := b.Site.tagged(args[0])
	if err != nil || p == "" {
		return null, err
	}
	return func(iso *worker.Isolate) goja.Value { return iso.Runtime().ToValue(p) }, nil
}

// answers tells whether fetch() of a method and a URL would find anything.
func (b Binding) answers(args []string) (func(*worker.Isolate) goja.Value, error) {
	u, err := url.Parse(args[1])
	if err != nil {
		return nil, err
	}
	_, ok := b.Site.intend(&http.Request{Method: args[0], URL: u, Host: u.Host, Header: http.Header{}}, b.Site.notFound)
	return func(iso *worker.Isolate) goja.Value { return iso.Runtime().ToValue(ok) }, nil
}

// sender answers fetch(). The host of the URL does not matter.
func (b Binding) sender(iso *worker.Isolate) fetch.Transport {
	return func(scope *eventloop.Scope, q *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
		u, err := url.Parse(q.URL)
		if err != nil {
			answer(fetch.TransportAnswer{Failure: iso.Realm.TypeError("Invalid URL: %s", q.URL)})
			return nil
		}
		if body := q.Body.Open(iso.Host, nil); body != nil {
			_ = body.Close() // files take none; nothing was read, so nothing can fail
		}
		ticket := scope.Ticket()
		go func() {
			res, err := b.Site.Handle(&http.Request{Method: q.Method, URL: u, Host: u.Host, Header: q.Header})
			ticket.Return(func() {
				if err != nil {
					answer(fetch.TransportAnswer{Failure: iso.Realm.NewError("Error", err.Error())})
					return
				}
				answer(fetch.TransportAnswer{Parts: fetch.PartsOf(res)})
			})
		}()
		return nil
	}
}
