package explorer

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"eddy/runtime/bindings/d1"
	"eddy/runtime/bindings/kv"
	"eddy/runtime/bindings/r2"
)

// StoreList is the model of KV namespaces, D1 databases and R2 buckets that the session's Workers bind.
type StoreList struct {
	KV []StoreRow `json:"kv"`
	D1 []StoreRow `json:"d1"`
	R2 []StoreRow `json:"r2"`
}

// StoreRow is a store; Bindings are WORKER.BINDING.
type StoreRow struct {
	ID       string   `json:"id"`
	Name     string   `json:"name,omitempty"`
	Bindings []string `json:"bindings"`
	// Bytes is the size of its database file, without values in files of their own; 0 in a cluster.
	Bytes int64 `json:"bytes"`
}

func (x *Server) storePages() []page {
	return slices.Concat([]page{of("stores", "stores", "KV namespaces, D1 databases and R2 buckets.", x.stores)},
		x.kvPages(), x.d1Pages(), x.r2Pages(), x.analyticsPages())
}

func (x *Server) storeActs() []act { return slices.Concat(x.kvActs(), x.d1Acts(), x.r2Acts()) }

func (x *Server) stores(*http.Request) (*StoreList, error) {
	l := &StoreList{KV: []StoreRow{}, D1: []StoreRow{}, R2: []StoreRow{}}
	add := func(list *[]StoreRow, id, name, binding, file string) {
		i := slices.IndexFunc(*list, func(r StoreRow) bool { return r.ID == id })
		if i < 0 {
			row := StoreRow{ID: id, Name: name}
			if info, err := os.Stat(file); err == nil && x.o.Stored == nil {
				row.Bytes = info.Size()
			}
			*list, i = append(*list, row), len(*list)
		}
		(*list)[i].Bindings = append((*list)[i].Bindings, binding)
	}
	for _, w := range x.o.Workers() {
		for _, b := range w.Config.KVNamespaces {
			index, _ := kv.Paths(x.o.State, b.ID)
			add(&l.KV, b.ID, "", w.Name+"."+b.Binding, index)
		}
		for _, b := range w.Config.D1Databases {
			add(&l.D1, b.DatabaseID, b.DatabaseName, w.Name+"."+b.Binding, d1.Path(x.o.State, b.DatabaseID))
		}
		for _, b := range w.Config.R2Buckets {
			add(&l.R2, b.BucketName, "", w.Name+"."+b.Binding, r2.Path(x.o.State, b.BucketName))
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

// mailFolder lists what Workers have sent, newest first.
func (x *Server) mailFolder() ([]os.FileInfo, error) {
	entries, err := os.ReadDir(x.o.State.Email())
	if os.IsNotExist(err) {
		return nil, nil
	}
	var files []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == ".eml" {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	return files, err
}

// storePath is the page of a store.
func storePath(kind, id string) string { return Base + kind + "/" + url.PathEscape(id) }
