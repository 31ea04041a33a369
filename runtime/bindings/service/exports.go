package service

import (
	"github.com/dop251/goja"

	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// Install adds the entrypoints of an isolate to its ctx.exports, and lets service stubs that were sent or stored come
// back. Pass it in worker.Options.Install.
func Install(dir Directory) func(iso *worker.Isolate) error {
	return func(iso *worker.Isolate) error {
		k := rpc.Of(iso.Host)
		k.AddDirectory(func(t *rpc.Token) (*goja.Object, bool) {
			if t.Class || t.Object != "" {
				return nil, false
			}
			to := &target{dir: dir, worker: t.Worker, entrypoint: t.Entrypoint, props: t.Props,
				lasting: t.Lasting, stored: t.Stored}
			if t.Worker == iso.Name {
				to.own = iso
			}
			return to.stub(iso), true
		})
		defineVirtualHosts(iso)
		iso.AddCtxExports(func(_ *worker.Isolate, into *goja.Object) {
			for _, name := range iso.ExportNames() {
				if iso.IsEntrypoint(name) {
					own(iso, dir, name, into)
				}
			}
		})
		return nil
	}
}

// own adds one entry: a stub that can also be called with props (CL12).
func own(iso *worker.Isolate, dir Directory, name string, into *goja.Object) {
	entrypoint := name
	if name == "default" {
		entrypoint = ""
	}
	k := rpc.Of(iso.Host)
	base := &target{dir: dir, worker: iso.Name, entrypoint: entrypoint, own: iso,
		lasting: iso.Flags.Enabled(rpc.StoreFlag)}
	f := base.fetcher(iso)
	f.Token = nil
	stub := k.NewLoopback(f, func(props []byte) *goja.Object {
		with := *base
		with.props = props
		return with.stub(iso)
	})
	_ = into.DefineDataProperty(name, stub, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// TokenOf names what a service stub points at, so that another isolate can have a stub of it; nil if it has no name. An
// entry of ctx.exports has one here, though it cannot be stored itself.
func TokenOf(f *rpc.Fetcher) *rpc.Token {
	if f.Token == nil && f.MakeToken != nil {
		f.Token = f.MakeToken()
	}
	if t, ok := f.Client.(*target); ok && f.Token == nil && t.late == nil {
		return t.token()
	}
	return f.Token
}
