package objects

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"eddy/durableobject/storage"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/sqlite"
)

const facetLists = "f/"

// KeepFacet implements [storage.Keeper]. If the object is elsewhere by now, the facet's first commit says so.
func (k keeper) KeepFacet(id string, number int, entry []byte) {
	o := k.keeping(id)
	if o == nil {
		return
	}
	at := place(k.key, id)
	o.mu.Lock()
	o.facets[at] = append(o.facets[at], entry...)
	o.mu.Unlock()
	o.shard.Commit(facetEntry(o.shard, at, number, entry), func(error) {})
}

// facetEntry puts an entry of the list of the object at a place.
func facetEntry(s InShard, at string, number int, entry []byte) engine.Batch {
	return engine.Batch{Puts: []engine.Put{{Key: engine.Key(fmt.Sprintf("%s%s/%08x", facetLists, at, number)),
		Value: engine.Value{Data: entry, Number: s.Number()}}}}
}

// readFacets reads the lists of facets of a shard.
func (o *owned) readFacets() (map[string][]byte, error) {
	all := engine.Prefix(facetLists)
	lists := map[string][]byte{}
	err := o.shard.Read(context.Background(), all.From, all.To, func(k engine.Key, v engine.Value) error {
		name := strings.TrimPrefix(string(k), facetLists)
		at := strings.LastIndexByte(name, '/')
		if at < 0 {
			return &recordError{fmt.Sprintf("the entry %s names no object", k)}
		}
		lists[name[:at]] = append(lists[name[:at]], v.Data...)
		return nil
	})
	return lists, err
}

// fillFacets makes the files of an object's facets, beside its own at path.
func (b *object) fillFacets(path string) error {
	dir := filepath.Dir(path)
	o := b.o
	o.mu.Lock()
	list := o.facets[place(b.key, b.id)]
	var facets []*object
	if list != nil {
		for at, f := range o.objects {
			if strings.HasPrefix(at, place(b.key, b.id)+".") {
				facets = append(facets, f)
			}
		}
	}
	o.mu.Unlock()
	if list == nil {
		return nil
	}
	if err := os.WriteFile(storage.FacetsFile(dir, b.id), list, sqlite.FileMode); err != nil {
		return err
	}
	for _, f := range facets {
		f.mu.Lock()
		err := f.fill(storage.ObjectFile(dir, f.id))
		f.mu.Unlock()
		if err != nil {
			return fmt.Errorf("facet %s: %w", f.id, err)
		}
	}
	return nil
}
