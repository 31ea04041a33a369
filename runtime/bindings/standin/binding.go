package standin

import (
	_ "embed"
	"fmt"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/worker"
)

//go:embed classes.js
var classes string

// Binding is env[Key] of a kind that a [Source] answers for.
type Binding struct {
	Key string
	// Class is the kind of class over fetch(): ai, vectorize, images or media; "" for a stub.
	Class  string
	Source Source
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	stub, err := b.Source.stub(iso)
	if err != nil {
		return nil, fmt.Errorf("binding %s: %w", b.Key, err)
	}
	if b.Class == "" {
		return stub, nil
	}
	all, err := iso.Internal("cloudflare-internal:stand-ins", classes)
	if err != nil {
		return nil, err
	}
	class := all.ToObject(iso.Runtime()).Get(b.Class)
	made, err := iso.Runtime().New(class, stub)
	if err != nil || b.Class != "pipelines" {
		return made, err
	}
	return resident(iso, made), nil
}

// resident is a service stub whose methods are those of an object: what the platform has of a pipeline.
func resident(iso *worker.Isolate, o *goja.Object) *goja.Object {
	kit := rpc.Of(iso.Host)
	noFetch := rpc.Fail(worker.NoFetchHandler).With(func(f *rpc.RemoteError) { f.Remote = true })
	return kit.NewFetcher(&rpc.Fetcher{
		Client: kit.Resident(o),
		Fetch: func(_ *eventloop.Scope, _ *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
			answer(fetch.TransportAnswer{Failure: kit.Value(noFetch)})
			return nil
		},
	})
}
