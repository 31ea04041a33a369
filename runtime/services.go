package runtime

import (
	"encoding/json"

	"github.com/google/uuid"

	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// directory finds the running Workers of the session for service bindings. Any goroutine.
type directory struct{ server *Server }

// Lookup implements [service.Directory].
func (d directory) Lookup(name string) (*worker.Isolate, bool) {
	svc := d.server.byName[name]
	if svc == nil {
		return nil, false
	}
	g := svc.live()
	if g == nil {
		return nil, false
	}
	return g.Isolate, true
}

// Elsewhere implements [service.Directory].
func (d directory) Elsewhere(name string) servicebinding.Distant { return d.server.workerAway(name) }

// serviceBindings are a Worker's bindings to other Workers, and to itself.
func (s *Server) serviceBindings(cfg *wrangler.Config) []worker.Binding {
	var list []worker.Binding
	for _, b := range cfg.Services {
		name := b.Service
		if b.Environment != "" {
			name += "-" + b.Environment
		}
		list = append(list, servicebinding.Binding{Key: b.Binding, Service: name, Entrypoint: b.Entrypoint, PropsJSON: b.Props, Directory: directory{s}})
	}
	return list
}

// versionBinding describes the running version (B5): an id for each start, no tag.
func (s *Server) versionBinding(cfg *wrangler.Config) ([]worker.Binding, error) {
	if cfg.VersionMetadata == nil {
		return nil, nil
	}
	text, err := json.Marshal(map[string]string{
		"id": uuid.NewString(), "tag": "", "timestamp": s.clock.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
	})
	if err != nil {
		return nil, err
	}
	return []worker.Binding{worker.Var{Key: cfg.VersionMetadata.Binding, JSON: string(text)}}, nil
}
