package runtime

import (
	"errors"
	"sync"

	"eddy/durableobject"
	"eddy/runtime/bindings/d1"
	"eddy/runtime/bindings/kv"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// stores are the D1 databases and KV namespaces of the session, one of each id for all Workers and generations. Any
// goroutine.
type stores struct {
	mu         sync.Mutex
	databases  map[string]*d1.Database
	namespaces map[string]*kv.Store
}

// indexFile is where miniflare keeps the SQLite file of a store: that of a Durable Object with the store's id as its
// name (DEV4).
func (s *Server) indexFile(kind, class, id string) string {
	uniqueKey := "miniflare-" + class
	return s.state.v3(kind, uniqueKey, durableobject.IDFromName(uniqueKey, id).String()+".sqlite")
}

// storeBindings are a Worker's D1 databases and KV namespaces.
func (s *Server) storeBindings(cfg *wrangler.Config) []worker.Binding {
	st := &s.stores
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.databases == nil {
		st.databases, st.namespaces = map[string]*d1.Database{}, map[string]*kv.Store{}
	}
	relaxed := s.opts.Durability == "relaxed"
	var list []worker.Binding
	for _, b := range cfg.D1Databases {
		if st.databases[b.DatabaseID] == nil {
			st.databases[b.DatabaseID] = d1.New(d1.Options{Path: s.indexFile("d1", "D1DatabaseObject", b.DatabaseID), Clock: s.clock, Relaxed: relaxed})
		}
		list = append(list, d1.Binding{Key: b.Binding, Database: st.databases[b.DatabaseID]})
	}
	for _, b := range cfg.KVNamespaces {
		if st.namespaces[b.ID] == nil {
			st.namespaces[b.ID] = kv.New(kv.Options{
				Index: s.indexFile("kv", "KVNamespaceObject", b.ID), Values: s.state.v3("kv", b.ID, "blobs"), Clock: s.clock, Relaxed: relaxed,
			})
		}
		list = append(list, kv.Binding{Key: b.Binding, Store: st.namespaces[b.ID]})
	}
	return list
}

func (st *stores) close() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	var errs []error
	for _, d := range st.databases {
		errs = append(errs, d.Close())
	}
	for _, n := range st.namespaces {
		errs = append(errs, n.Close())
	}
	return errors.Join(errs...)
}
