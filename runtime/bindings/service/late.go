package service

import (
	"context"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/worker"
)

// Late is a Worker that its caller may use before it has started. Calls wait, in their order. Stubs of it stay in the
// isolate that made them: they can be neither stored nor sent.
type Late struct {
	caller *worker.Isolate

	mu      sync.Mutex // guards all below
	done    bool
	iso     *worker.Isolate
	entries map[string]bool
	failure *rpc.RemoteError
	waiting []func() // called on any goroutine
}

// NewLate makes one for stubs in the isolate caller.
func NewLate(caller *worker.Isolate) *Late { return &Late{caller: caller} }

// Started says that the Worker serves now; entries are its entrypoints, "default" among them. Any goroutine.
func (l *Late) Started(iso *worker.Isolate, entries []string) {
	have := map[string]bool{}
	for _, name := range entries {
		have[name] = true
	}
	l.settle(iso, have, nil)
}

// Failed says why there is no Worker; every call fails with it. Any goroutine.
func (l *Late) Failed(f *rpc.RemoteError) { l.settle(nil, nil, f) }

// settle counts once.
func (l *Late) settle(iso *worker.Isolate, entries map[string]bool, f *rpc.RemoteError) {
	l.mu.Lock()
	var waiting []func()
	if !l.done {
		l.done, l.iso, l.entries, l.failure = true, iso, entries, f
		waiting, l.waiting = l.waiting, nil
	}
	l.mu.Unlock()
	for _, f := range waiting {
		f()
	}
}

// then calls f when the outcome is known: at once, or later in the same scope. Loop of the caller.
func (l *Late) then(f func()) {
	l.mu.Lock()
	if l.done {
		l.mu.Unlock()
		f()
		return
	}
	t := l.caller.Host.Scope().Ticket()
	l.waiting = append(l.waiting, func() { t.Return(f) })
	l.mu.Unlock()
}

// isolate is the running Worker; ok is false when there is none.
func (l *Late) isolate() (*worker.Isolate, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.iso, l.iso != nil
}

// Gone tells whether the Worker has run and ended. Any goroutine.
func (l *Late) Gone() bool {
	iso, ok := l.isolate()
	if !ok {
		return false
	}
	select {
	case <-iso.Loop.Stopped():
		return true
	default:
		return false
	}
}

// refuses is why calls of an entrypoint fail, nil if they may go on.
func (l *Late) refuses(entrypoint string) *rpc.RemoteError {
	if entrypoint == "" {
		entrypoint = "default"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure == nil && !l.entries[entrypoint] {
		return rpc.Fail("Worker has no such entrypoint: " + entrypoint)
	}
	return l.failure
}

// Stub makes a service stub of an entrypoint, "" the default one; props is encoded, nil for {}. Loop of the caller.
func (l *Late) Stub(entrypoint string, props []byte) *goja.Object {
	t := &target{worker: l.caller.Name, entrypoint: entrypoint, props: props, late: l}
	return rpc.Of(l.caller.Host).NewFetcher(&rpc.Fetcher{Client: t, Fetch: t.lateSender(l.caller),
		Connect: t.lateConnector(l.caller)})
}

// sendLate is Send for a Worker that may still be starting.
func (t *target) sendLate(op *rpc.Op) {
	t.late.then(func() {
		if f := t.late.refuses(t.entrypoint); f != nil {
			op.Fail(f)
			return
		}
		t.sendNow(op)
	})
}

// lateSender sends fetch() of a stub of a Worker that may still be starting.
func (t *target) lateSender(iso *worker.Isolate) fetch.Transport {
	script := t.scriptSender(iso)
	return func(scope *eventloop.Scope, q *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
		canceled, cancel := false, func() {}
		t.late.then(func() {
			if canceled {
				return
			}
			if f := t.late.refuses(t.entrypoint); f != nil {
				answer(fetch.TransportAnswer{Failure: rpc.Of(iso.Host).Value(f)})
				return
			}
			if f := script(scope, q, answer); f != nil {
				cancel = f
			}
		})
		return func() { canceled = true; cancel() }
	}
}

// SendTail sends the trace of an event to the Worker behind a service stub; ok is false if it is no Worker's stub, or
// the Worker does not run. Any goroutine.
func SendTail(c rpc.Client, trace *worker.Trace) (ok bool) {
	t, ok := c.(*target)
	if !ok {
		return false
	}
	iso, ok := t.isolate()
	if !ok {
		return false
	}
	return iso.Dispatch(context.Background(), &worker.Tail{Traces: []*worker.Trace{trace}}, t.options(eventloop.Hops{}))
}
