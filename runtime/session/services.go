package session

import (
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"eddy/durableobject/objectjs"
	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/sockets"
	"eddy/runtime/webapi/websocket"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// directory finds the running Workers of the session for service bindings. Any goroutine.
type directory struct{ session *Session }

// Lookup implements [service.Directory].
func (d directory) Lookup(name string) (*worker.Isolate, bool) {
	svc := d.session.byName[name]
	if svc == nil {
		return nil, false
	}
	g := svc.live()
	if g == nil {
		return nil, false
	}
	return g.Isolate, true
}

// Files implements [service.Directory].
func (d directory) Files(name string) servicebinding.Files {
	if svc := d.session.byName[name]; svc != nil {
		if g := svc.live(); g != nil && g.site != nil {
			return g.site
		}
	}
	return nil
}

// Elsewhere implements [service.Directory].
func (d directory) Elsewhere(name string) servicebinding.DistantWorker {
	if d.session.byName[name] != nil {
		return nil
	}
	if d.session.opts.Elsewhere != nil {
		if way := d.session.opts.Elsewhere(name); way != nil {
			return way
		}
	}
	return d.session.sharing.Worker(name)
}

// Distant implements [service.Directory].
func (d directory) Distant(name, entrypoint string, props []byte) rpc.Client {
	if d.session.byName[name] != nil {
		return nil
	}
	return d.session.sharing.Client(name, entrypoint, props)
}

// Object returns the way to a Durable Object of a Worker in another session, nil if no session runs the Worker.
func (d directory) Object(name string, to objectjs.DistantObject) objectjs.Distant {
	if d.session.byName[name] != nil {
		return nil
	}
	return d.session.sharing.Object(name, to)
}

// Entry implements [sharing.Local].
func (s *Session) Entry(worker, entrypoint string, props []byte) rpc.Client {
	return servicebinding.Entry(directory{s}, worker, entrypoint, props)
}

// ObjectClient implements [sharing.Local].
func (s *Session) ObjectClient(worker string, to objectjs.DistantObject) rpc.Client {
	return s.objects.Client(worker, to)
}

// FetchObject implements [sharing.Local].
func (s *Session) FetchObject(to rpc.Client, req *http.Request, cf string, hops eventloop.Hops,
	done func(*fetch.Parts, *websocket.End, *rpc.RemoteError)) {
	s.objects.Fetch(to, req, cf, hops, done)
}

// ConnectObject implements [sharing.Local].
func (s *Session) ConnectObject(to rpc.Client, j *sockets.Joint, hops eventloop.Hops) {
	s.objects.Connect(to, j, hops)
}

// serviceBindings are a Worker's bindings to other Workers, and to itself.
func (s *Session) serviceBindings(cfg *wrangler.Config) []worker.Binding {
	var list []worker.Binding
	for _, b := range cfg.Services {
		name := b.Service
		if b.Environment != "" {
			name += "-" + b.Environment
		}
		list = append(list, servicebinding.Binding{Key: b.Binding, Service: name, Entrypoint: b.Entrypoint,
			PropsJSON: b.Props, Directory: directory{s}})
	}
	return list
}

// versionBinding describes the running version (B5): a new id for each start, and no tag.
func (s *Session) versionBinding(cfg *wrangler.Config) ([]worker.Binding, error) {
	if cfg.VersionMetadata == nil {
		return nil, nil
	}
	text, err := json.Marshal(map[string]string{
		"id": uuid.NewString(), "tag": "", "timestamp": s.opts.Clock.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
	})
	if err != nil {
		return nil, err
	}
	return []worker.Binding{worker.Var{Key: cfg.VersionMetadata.Binding, JSON: string(text)}}, nil
}
