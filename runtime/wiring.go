package runtime

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/dop251/goja"

	"eddy/queues/queuejs"
	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/nodecompat"
	"eddy/runtime/report"
	"eddy/runtime/wasm"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/websocket"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// This file lists what a session is wired from; each part has its own file.

// connect joins all services to the broker and to each other, after every one has started.
func (s *Server) connect() error {
	for _, svc := range s.services {
		if err := s.connectService(svc, svc.live()); err != nil {
			return err
		}
	}
	return nil
}

// connectService attaches what a generation consumes.
//
// Objects come first: a queue handler may call them.
func (s *Server) connectService(svc *service, g *generation) error {
	ctx := context.Background()
	if err := s.declareClasses(svc, g.config); err != nil {
		return err
	}
	if err := s.objects.Attach(ctx, g.Isolate); err != nil {
		return err
	}
	g.detach = append(g.detach, func() { _ = s.objects.Detach(ctx, g.Isolate) }) // the isolate ends with it
	detach, err := s.lanes.Attach(g.Isolate, svc.name)
	if err != nil {
		return err
	}
	g.detach = append(g.detach, detach)
	return errors.Join(s.attachConsumers(svc, g), s.attachUndeclared(svc, g))
}

// installs adds to an isolate what lies above web APIs.
func (s *Server) installs(svc *service, g *generation, o *worker.Options) error {
	o.Wasm = func(iso *worker.Isolate, file string, code []byte) (goja.Value, error) {
		return wasm.Module(iso.Host, file, code), nil
	}
	o.Install = append(o.Install, func(iso *worker.Isolate) error {
		wasm.Install(iso.Host)
		fetch.SetCacheStore(iso.Host, s.state.cacheStore())
		nodecompat.InstallGlobals(iso.Host, iso.Flags.Enabled, func() goja.Value { return iso.Env() })
		return nil
	}, s.objects.Install, servicebinding.Install(directory{s}), queuejs.Install)
	return nil
}

// servedBindings are the entries of env that point at something.
func (s *Server) servedBindings(svc *service, g *generation) ([]worker.Binding, error) {
	var list []worker.Binding
	list = append(list, s.queueBindings(g.config)...)
	list = append(list, s.objectBindings(svc, g.config)...)
	list = append(list, s.serviceBindings(g.config)...)
	list = append(list, s.storeBindings(g.config)...)
	list = append(list, siteBindings(g)...)
	minor, err := s.minorBindings(g.config)
	if err != nil {
		return nil, err
	}
	list = append(list, minor...)
	version, err := s.versionBinding(g.config)
	return append(list, version...), err
}

// modules are the virtual modules of a Worker beside cloudflare:workers.
func (s *Server) modules(cfg *wrangler.Config) map[string]worker.Module {
	mods := map[string]worker.Module{queuejs.DOQueueModule: s.lanes.Module, queuejs.TestModuleName: queuejs.TestModule}
	flags, _ := flagsOf(cfg) // mistakes were reported at start
	for _, name := range nodecompat.Names(flags.Enabled) {
		mods[name] = func(iso *worker.Isolate) (*goja.Object, error) { return nodecompat.Namespace(iso.Host, name) }
	}
	return mods
}

// serverFailed reports a port that stopped serving by itself.
func (s *Server) serverFailed(svc *service, err error) {
	s.report.Line(report.Error, "server", fmt.Sprintf("the HTTP server of %s ended: %v", svc.name, err), report.F("worker", svc.name))
}

// upgrade hands the connection to the WebSocket that the handler answered with.
func (f front) upgrade(w http.ResponseWriter, r *http.Request, res *worker.Response) int {
	s := f.svc.server
	if res.WebSocket == nil {
		http.Error(w, "The Worker answered 101 without a WebSocket.", http.StatusInternalServerError)
		return http.StatusInternalServerError
	}
	header := res.Header.Clone()
	conn, err := websocket.Accept(w, r, header, res.Isolate.Flags.Enabled("web_socket_compression"))
	if err != nil {
		res.WebSocket.Lose(err)
		res.Release()
		return http.StatusBadRequest
	}
	s.requestLine(f.svc, r, http.StatusSwitchingProtocols, 0)
	websocket.Couple(res.WebSocket, conn, res.Release)
	return 0
}

// unserved tells binding kinds whose use fails with a message that names them.
func (s *Server) unserved(kind wrangler.BindingKind) bool {
	switch kind {
	case wrangler.VarBinding, wrangler.SecretBinding, wrangler.QueueBinding, wrangler.DurableObjectBinding,
		wrangler.ServiceBinding, wrangler.VersionMetadataBinding, wrangler.D1Binding, wrangler.KVBinding, wrangler.RateLimitBinding,
		wrangler.AnalyticsEngineBinding, wrangler.WasmModuleBinding, wrangler.TextBlobBinding, wrangler.DataBlobBinding,
		wrangler.AssetsBinding, wrangler.R2Binding:
		return false
	}
	return true
}
