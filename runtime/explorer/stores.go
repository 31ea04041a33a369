package explorer

import (
	"net/http"
	"net/url"
	"os"
	"slices"

	"eddy/runtime/bindings/d1"
	"eddy/runtime/bindings/kv"
	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/bindings/r2"
	"eddy/runtime/bindings/secretsstore"
	"eddy/runtime/cluster/archive"
)

// StoreList is the model of the stores that the session's Workers bind.
type StoreList struct {
	KV        []StoreRow `json:"kv"`
	D1        []StoreRow `json:"d1"`
	R2        []StoreRow `json:"r2"`
	Vectors   []StoreRow `json:"vectorize"`
	Pipelines []StoreRow `json:"pipelines"`
	Secrets   []StoreRow `json:"secrets"`
	// Cluster says that stores are on nodes.
	Cluster bool `json:"-"`
}

// StoreRow is a store; Bindings are WORKER.BINDING.
type StoreRow struct {
	ID       string   `json:"id"`
	Name     string   `json:"name,omitempty"`
	Bindings []string `json:"bindings"`
	// Bytes is the size of its database file, without values in files of their own.
	Bytes int64 `json:"bytes"`
	// Node has it in a cluster, "" if nothing is stored, or if no node has it now.
	Node string `json:"node,omitempty"`
	// names are those of its secrets that Workers bind.
	names []string
}

func (x *Server) storePages() []page {
	return slices.Concat([]page{of("stores", "stores", "KV namespaces, D1 databases, R2 buckets, vector indexes, "+
		"pipelines and stores of secrets.", x.stores)},
		x.kvPages(), x.d1Pages(), x.r2Pages(), x.secretsPages(), x.analyticsPages())
}

func (x *Server) storeActs() []act { return slices.Concat(x.kvActs(), x.d1Acts(), x.r2Acts()) }

// stores lists what Workers bind. r is nil where no request asks.
func (x *Server) stores(r *http.Request) (*StoreList, error) {
	l := &StoreList{KV: []StoreRow{}, D1: []StoreRow{}, R2: []StoreRow{}, Vectors: []StoreRow{},
		Pipelines: []StoreRow{}, Secrets: []StoreRow{}, Cluster: x.o.Cluster != nil}
	var kept []archive.Listed
	if l.Cluster {
		ctx := x.done
		if r != nil {
			ctx = r.Context()
		}
		var err error
		if kept, err = x.o.Cluster.Kept(ctx); err != nil {
			return nil, err
		}
	}
	add := func(list *[]StoreRow, kind, id, name, binding, file string) *StoreRow {
		i := slices.IndexFunc(*list, func(r StoreRow) bool { return r.ID == id })
		if i < 0 {
			row := StoreRow{ID: id, Name: name}
			key, object := objectstore.Name{Kind: kind, ID: id}.Object()
			if k := slices.IndexFunc(kept, func(k archive.Listed) bool {
				return k.Namespace == key && k.ID == object
			}); k >= 0 {
				row.Bytes, row.Node = kept[k].Bytes, kept[k].Node
			}
			if info, err := os.Stat(file); err == nil && !l.Cluster {
				row.Bytes = info.Size()
			}
			*list, i = append(*list, row), len(*list)
		}
		(*list)[i].Bindings = append((*list)[i].Bindings, binding)
		return &(*list)[i]
	}
	for _, w := range x.o.Workers() {
		for _, b := range w.Config.KVNamespaces {
			index, _ := kv.Paths(x.o.State, b.ID)
			add(&l.KV, "kv", b.ID, "", w.Name+"."+b.Binding, index)
		}
		for _, b := range w.Config.D1Databases {
			add(&l.D1, "d1", b.DatabaseID, b.DatabaseName, w.Name+"."+b.Binding, d1.Path(x.o.State, b.DatabaseID))
		}
		for _, b := range w.Config.R2Buckets {
			add(&l.R2, "r2", b.BucketName, "", w.Name+"."+b.Binding, r2.Path(x.o.State, b.BucketName))
		}
		for _, b := range w.Config.SecretsStore {
			index, _ := secretsstore.Paths(x.o.State, b.StoreID)
			row := add(&l.Secrets, secretsstore.Kind, b.StoreID, "", w.Name+"."+b.Binding, index)
			row.names = append(row.names, b.SecretName)
		}
		for _, b := range w.Config.Unserved {
			switch b.Kind {
			case "vectorize":
				add(&l.Vectors, "vectorize", b.Resource, "", w.Name+"."+b.Name, x.o.State.Vectorize(b.Resource))
			case "pipelines": // what is sent is kept by the name of the binding
				add(&l.Pipelines, "pipelines", b.Name, b.Resource, w.Name+"."+b.Name, x.o.State.Pipeline(b.Name))
			}
		}
	}
	return l, nil
}

// bound finds a store that a Worker binds. Others are not shown: a path must not lead anywhere else.
func (x *Server) bound(list []StoreRow, id, what string) (StoreRow, error) {
	i := slices.IndexFunc(list, func(r StoreRow) bool { return r.ID == id || r.Name == id && id != "" })
	if i < 0 {
		return StoreRow{}, missing("no Worker of the session binds the %s %s", what, id)
	}
	return list[i], nil
}

// storePath is the page of a store.
func storePath(kind, id string) string { return Base + kind + "/" + url.PathEscape(id) }
