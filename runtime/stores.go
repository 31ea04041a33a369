package runtime

import (
	"errors"
	"sync"

	"eddy/runtime/bindings/d1"
	"eddy/runtime/bindings/kv"
	"eddy/runtime/bindings/r2"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// stores are the D1 databases, KV namespaces and R2 buckets of the session, one of each id for all Workers and generations. Any
// goroutine.
type stores struct {
	mu         sync.Mutex
	databases  map[string]*d1.Database
	namespaces map[string]*kv.Store
	buckets    map[string]*r2.Bucket
}

// storeBindings are a Worker's D1 databases, KV namespaces and R2 buckets.
func (s *Server) storeBindings(cfg *wrangler.Config) []worker.Binding {
	st := &s.stores
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.databases == nil {
		st.databases, st.namespaces, st.buckets = map[string]*d1.Database{}, map[string]*kv.Store{}, map[string]*r2.Bucket{}
	}
	relaxed := s.opts.Durability == "relaxed"
	var list []worker.Binding
	for _, b := range cfg.D1Databases {
		if st.databases[b.DatabaseID] == nil {
			st.databases[b.DatabaseID] = d1.New(d1.Options{Path: d1.Path(s.state.v3(), b.DatabaseID), Clock: s.clock, Relaxed: relaxed})
		}
		list = append(list, d1.Binding{Key: b.Binding, Database: st.databases[b.DatabaseID]})
	}
	for _, b := range cfg.KVNamespaces {
		if st.namespaces[b.ID] == nil {
			index, values := kv.Paths(s.state.v3(), b.ID)
			st.namespaces[b.ID] = kv.New(kv.Options{Index: index, Values: values, Clock: s.clock, Relaxed: relaxed})
		}
		list = append(list, kv.Binding{Key: b.Binding, Store: st.namespaces[b.ID]})
	}
	for _, b := range cfg.R2Buckets {
		if st.buckets[b.BucketName] == nil {
			st.buckets[b.BucketName] = r2.New(r2.Options{V3: s.state.v3(), Name: b.BucketName, Clock: s.clock, Relaxed: relaxed})
		}
		list = append(list, r2.Binding{Key: b.Binding, Bucket: st.buckets[b.BucketName]})
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
	for _, b := range st.buckets {
		errs = append(errs, b.Close())
	}
	return errors.Join(errs...)
}
