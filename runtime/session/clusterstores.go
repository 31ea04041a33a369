package session

import (
	"errors"

	"eddy/runtime/bindings/d1"
	"eddy/runtime/bindings/kv"
	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/bindings/pipeline"
	"eddy/runtime/bindings/r2"
	"eddy/runtime/bindings/secretsstore"
	"eddy/runtime/bindings/vectorize"
)

// service is a store of the cluster as this node serves it, nil if there are none of the kind.
func (st *stores) service(name objectstore.Name) objectstore.Service {
	st.mu.Lock()
	defer st.mu.Unlock()
	if svc := st.served[name]; svc != nil {
		return svc
	}
	if !name.Known() {
		return nil
	}
	var svc objectstore.Service
	key, id := name.Object()
	home := st.kept.Store(key, id, name.ID)
	switch name.Kind {
	case "kv":
		index, values := kv.Paths(st.state, name.ID)
		svc = kv.New(kv.Options{Index: index, Values: values, Clock: st.clock, Home: home})
	case secretsstore.Kind:
		index, values := secretsstore.Paths(st.state, name.ID)
		svc = kv.New(kv.Options{Index: index, Values: values, Clock: st.clock, Home: home})
	case "d1":
		svc = d1.New(d1.Options{Path: d1.Path(st.state, name.ID), Clock: st.clock, Home: home})
	case "vectorize":
		svc = vectorize.New(vectorize.Options{Path: st.state.Vectorize(name.ID), Clock: st.clock, Home: home})
	case "pipelines":
		svc = pipeline.NewRecords(pipeline.RecordsOptions{Index: st.state.Pipeline(name.ID) + ".sqlite",
			Clock: st.clock, Home: home})
	case "r2":
		svc = r2.New(r2.Options{State: st.state, Name: name.ID, Clock: st.clock, Home: home})
	default:
		return nil
	}
	if st.served == nil {
		st.served = map[objectstore.Name]objectstore.Service{}
	}
	st.served[name] = svc
	return svc
}

// release gives up the stores for which match is true, because another node has them or will.
func (st *stores) release(match func(key, id string) bool) error {
	st.mu.Lock()
	var list []objectstore.Service
	for name, svc := range st.served {
		if match(name.Object()) {
			list = append(list, svc)
		}
	}
	st.mu.Unlock()
	var errs []error
	for _, svc := range list {
		errs = append(errs, svc.Leave())
	}
	return errors.Join(errs...)
}
