package assets

import (
	"net/http"
	"net/url"

	"github.com/dop251/goja"

	"eddy/runtime/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/worker"
)

// Binding is the binding of a Site: env[Key].fetch() answers out of the files.
type Binding struct {
	Key  string
	Site *Site
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	return rpc.Of(iso.Host).NewFetcher(&rpc.Fetcher{Client: rpc.Broken{Failure: rpc.FailType("An assets binding has no method but fetch().")}, Fetch: b.sender(iso)}), nil
}

// sender answers fetch(). The host of the URL does not matter.
func (b Binding) sender(iso *worker.Isolate) fetch.Sender {
	return func(scope *eventloop.Scope, q *fetch.OutRequest, answer func(fetch.Answer)) func() {
		u, err := url.Parse(q.URL)
		if err != nil {
			answer(fetch.Answer{Failure: iso.Realm.TypeError("Invalid URL: %s", q.URL)})
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
					answer(fetch.Answer{Failure: iso.Realm.NewError("Error", err.Error())})
					return
				}
				answer(fetch.Answer{Parts: fetch.PartsOf(res)})
			})
		}()
		return nil
	}
}
