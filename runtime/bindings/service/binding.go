package service

import (
	"net/http"

	"github.com/dop251/goja"

	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// Directory knows the Workers of the session.
type Directory interface {
	// Lookup is the isolate that serves a Worker now; ok is false when it is not running. Any goroutine.
	Lookup(name string) (iso *worker.Isolate, ok bool)
	// Files are the assets of a Worker, nil if it has none. Any goroutine.
	Files(name string) Files
	// Elsewhere returns the way to a Worker that another session on the state directory runs, nil if no session does.
	// Any goroutine.
	Elsewhere(name string) DistantWorker
	// Distant is the way of RPC to an entrypoint of a Worker that another session on the state directory runs, for one
	// call; nil if no session does. Any goroutine.
	Distant(name, entrypoint string, props []byte) rpc.Client
}

// Files answer requests that are for a Worker's assets, before its script hears of them. Any goroutine.
type Files interface {
	// First answers a request, whose body it does not read; ok is false for one that is the script's.
	First(r *http.Request) (res *http.Response, ok bool, err error)
}

// Binding is a service binding: env[Key] calls an entrypoint of a Worker.
type Binding struct {
	Key string
	// Service is the Worker's name, Entrypoint the export, "" the default one.
	Service, Entrypoint string
	// PropsJSON is ctx.props of the callee as JSON, "" for {}.
	PropsJSON string
	Directory Directory
	// Outbound, if set, is where the Worker's own requests go.
	Outbound *Outbound
}

// Outbound is a Worker that the requests of another go to (BIND-120), with what its env has beside its own.
type Outbound struct {
	// Service is the Worker's name, Env the encoded object, nil for none.
	Service string
	Env     []byte
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	t := &target{dir: b.Directory, worker: b.Service, entrypoint: b.Entrypoint, outbound: b.Outbound}
	if b.PropsJSON != "" {
		v, err := worker.Var{Key: b.Key, JSON: b.PropsJSON}.Install(iso)
		if err != nil {
			return nil, err
		}
		if ex := iso.Realm.Try(func() { t.props = rpc.Of(iso.Host).EncodeProps(v) }); ex != nil {
			return nil, iso.Exception(ex)
		}
	}
	return t.stub(iso), nil
}

// target is what a service stub points at. Immutable.
type target struct {
	dir        Directory
	worker     string
	entrypoint string
	props      []byte
	// lasting and stored are as in [rpc.Token].
	lasting, stored bool
	// outbound is where the callee's requests go, nil for the network; env is what the callee's has beside its own.
	outbound *Outbound
	env      []byte
	// own is the isolate itself, for ctx.exports: it does not follow reloads.
	own *worker.Isolate
	// late is set for a Worker that may still be starting; dir is nil then.
	late *Late
}

// isolate returns the isolate that serves now.
func (t *target) isolate() (*worker.Isolate, bool) {
	if t.own != nil {
		return t.own, true
	}
	if t.late != nil {
		return t.late.isolate()
	}
	return t.dir.Lookup(t.worker)
}

func (t *target) fetcher(iso *worker.Isolate) *rpc.Fetcher {
	return &rpc.Fetcher{
		Client: t, Fetch: t.sender(iso), Connect: t.connector(iso),
		Token: t.token(),
	}
}

// token names the target; one of a Worker from code has no name.
func (t *target) token() *rpc.Token {
	return &rpc.Token{Worker: t.worker, Entrypoint: t.entrypoint, Props: t.props, Lasting: t.lasting}
}

// lapsed tells whether the Worker that serves now does not let stubs be stored, though this one was. Any goroutine.
func (t *target) lapsed(iso *worker.Isolate, stored bool) bool {
	return (t.stored || stored) && !iso.Flags.Enabled(rpc.StoreFlag)
}

func (t *target) stub(iso *worker.Isolate) *goja.Object {
	return rpc.Of(iso.Host).NewFetcher(t.fetcher(iso))
}

// notFound is the failure when the Worker is not running (CL11).
func (t *target) notFound() *rpc.RemoteError {
	if t.late != nil {
		return rpc.Disconnected() // it ran, and has ended
	}
	return rpc.Fail(notFoundText(t.worker)).With(func(f *rpc.RemoteError) { f.Remote = true })
}

func notFoundText(worker string) string {
	return `Worker "` + worker + `" not found. Make sure it is running locally.`
}
