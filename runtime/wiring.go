package runtime

import (
	"fmt"
	"net/http"

	"eddy/runtime/report"
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
func (s *Server) connectService(svc *service, g *generation) error {
	return s.attachConsumers(svc, g)
}

// installs adds to an isolate what lies above web APIs.
func (s *Server) installs(svc *service, g *generation, o *worker.Options) error {
	return nil
}

// servedBindings are the entries of env that point at something.
func (s *Server) servedBindings(svc *service, g *generation) ([]worker.Binding, error) {
	var list []worker.Binding
	list = append(list, s.queueBindings(g.config)...)
	return list, nil
}

// modules are the virtual modules of a Worker beside cloudflare:workers.
func (s *Server) modules(cfg *wrangler.Config) map[string]worker.Module {
	return map[string]worker.Module{}
}

// serverFailed reports a port that stopped serving by itself.
func (s *Server) serverFailed(svc *service, err error) {
	s.report.Line(report.Error, "server", fmt.Sprintf("the HTTP server of %s ended: %v", svc.name, err), report.F("worker", svc.name))
}

// upgrade hands a connection to a WebSocket.
func (f front) upgrade(w http.ResponseWriter, r *http.Request, res *worker.Response) int {
	http.Error(w, "WebSocket upgrades are not wired", http.StatusNotImplemented)
	return http.StatusNotImplemented
}

// unserved tells binding kinds whose use fails with a message that names them.
func (s *Server) unserved(kind wrangler.BindingKind) bool {
	switch kind {
	case wrangler.VarBinding, wrangler.SecretBinding, wrangler.QueueBinding:
		return false
	}
	return true
}
