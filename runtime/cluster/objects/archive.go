package objects

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"eddy/durableobject/storage"
	"eddy/runtime/cluster/engine"
)

// Stored is an object that is in a shard, as of its last commit, or a facet of one.
type Stored struct {
	// Key is the unique key of its namespace. ID is [storage.FacetID] for a facet.
	Key, ID, Name string
	// Alarm is zero for none.
	Alarm time.Time

	object *object
}

// Lists are the lists of facets of a namespace's objects, as their files are: by key of the namespace and id.
type Lists map[string]map[string][]byte

// List reads which objects and facets are in a shard that nobody writes to, and the lists of facets. What has nothing
// stored is left out.
func List(s InShard) (list []Stored, lists Lists, err error) {
	o := &owned{shard: s, open: os.Open}
	found, err := o.read()
	if err != nil {
		return nil, nil, err
	}
	lists = Lists{}
	for at, facets := range found.facets {
		key, id := filepath.Split(at)
		key = strings.TrimSuffix(key, "/")
		if lists[key] == nil {
			lists[key] = map[string][]byte{}
		}
		lists[key][id] = facets
	}
	for _, b := range found.objects {
		if b.Base != 0 {
			list = append(list, b.stored())
		}
	}
	return list, lists, nil
}

func (b *object) stored() Stored {
	k := Stored{Key: b.key, ID: b.id, Name: b.Name, object: b}
	if b.Alarm != 0 {
		k.Alarm = time.Unix(0, b.Alarm)
	}
	return k
}

// ListAll reads which objects and facets are in all shards, with one query, and calls fn with the shard of each. What
// has nothing stored is left out. They are to be told, not to be written.
func ListAll(ctx context.Context, c engine.Contents, fn func(shard int, s Stored)) error {
	return c.ReadAll(ctx, engine.Prefix(records), func(shard int, k engine.Key, v engine.Value) error {
		b, err := (*owned)(nil).recorded(k, v)
		if err == nil && b.Base != 0 {
			fn(shard, b.stored())
		}
		return err
	})
}

// PutFacets puts the list of an object's facets into a shard that has none of it.
func PutFacets(s InShard, key, id string, list []byte) (err error) {
	s.Commit(facetEntry(s, place(key, id), 1, list), func(e error) { err = e })
	if err != nil {
		return fmt.Errorf("facets of object %s: %w", place(key, id), err)
	}
	return nil
}

// Bytes are those of its database, with the log.
func (k *Stored) Bytes() int64 { return k.object.Base + k.object.Log }

// Write makes the object's database at path, with the log beside it that it may have.
func (k *Stored) Write(path string) error {
	if err := k.object.fill(path); err != nil {
		return fmt.Errorf("object %s: %w", place(k.Key, k.ID), err)
	}
	return nil
}

// Put puts an object into a shard that has nothing of it. Its database is at path, and has no log. The shard carries
// out a batch before Commit returns.
func Put(s InShard, key, id, name string, alarm time.Time, path string) error {
	b := newObject(&owned{shard: s, open: os.Open}, key, id)
	failed := error(nil)
	done := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	err := b.keep(storage.Commit{ID: id, Name: name, Alarm: alarm, Path: path, Anew: true, Exists: true}, done)
	if err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("object %s: %w", place(key, id), err)
	}
	return nil
}

// IsStore tells whether it is a store of the bindings, whose key is the kind and the unique key, with a slash between.
func (k *Stored) IsStore() bool { return isStore(k.Key) }

func isStore(key string) bool { return strings.Contains(key, "/") }

// Values reads the values of a store: pieces in order, those of one value after the other.
func (k *Stored) Values(fn func(name string, piece []byte) error) error {
	b := k.object
	all := engine.Prefix(b.values())
	return b.o.shard.Read(context.Background(), all.From, all.To, func(key engine.Key, v engine.Value) error {
		name, _, ok := strings.Cut(strings.TrimPrefix(string(key), string(all.From)), "/")
		if !ok {
			return fmt.Errorf("%s is no piece of a value", key)
		}
		return fn(name, v.Data)
	})
}

// PutValue puts a value of a store into a shard that has none of it.
func PutValue(s InShard, key, id, name string, from io.Reader) error {
	b := newObject(&owned{shard: s, open: os.Open}, key, id)
	_, err := eachPiece(from, func(n int64, piece []byte) (failed error) {
		put := engine.Put{Key: b.valuePiece(name, n), Value: engine.Value{Data: piece, Number: s.Number()}}
		s.Commit(engine.Batch{Puts: []engine.Put{put}}, func(e error) { failed = e })
		return failed
	})
	return err
}
