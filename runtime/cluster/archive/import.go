package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"eddy/durableobject/storage"
	"eddy/queues/logstore"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/files"
	"eddy/runtime/cluster/node"
	"eddy/runtime/cluster/objects"
	"eddy/runtime/statedir"
)

// Imported is what the note of the last import says.
type Imported struct {
	// Digest is of all that was taken.
	Digest string `json:"digest"`
	// Heads is the sum of all shards' heads right after it.
	Heads int64   `json:"heads"`
	Sum   Summary `json:"summary"`
}

const importedNote = "imported"

// OccupiedError says that the cluster keeps something already: so many objects and stores of bindings.
type OccupiedError struct{ Objects int }

func (e *OccupiedError) Error() string {
	return fmt.Sprintf("the cluster keeps something already: %d objects and stores, and the queues' log", e.Objects)
}

// Import puts what a state directory has into a cluster of which no node runs. If the cluster keeps something it fails
// with an *OccupiedError, unless replace says that it may go. The error for a directory that cannot be imported names
// all that is in the way.
func Import(
	ctx context.Context, into engine.Archive, objectShards int, from statedir.Dir, replace bool,
) (sum Summary, err error) {
	found, unlock, err := inspect(from)
	if err != nil {
		return sum, err
	}
	defer unlock()
	sum.Left = found.left
	was, err := lastImport(ctx, into)
	if err != nil {
		return sum, err
	}
	v, err := into.Look(ctx)
	if err != nil {
		return sum, err
	}
	if was.Digest == found.digest && was.Heads == heads(v.Shards) {
		sum = was.Sum
		sum.Before, sum.Left = true, found.left
		return sum, nil
	}
	if !replace {
		if err := empty(ctx, into, objectShards); err != nil {
			return sum, err
		}
	}
	tmp, err := os.MkdirTemp("", "eddy-import-")
	if err != nil {
		return sum, err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	err = into.Replace(ctx, func(c engine.Contents) error {
		into := target{ctx, c, objectShards, map[int]*engine.Slice{}}
		for _, key := range found.namespaces {
			err := into.importNamespace(from, key, filepath.Join(tmp, key), &sum)
			if err != nil {
				return err
			}
		}
		for _, f := range found.stores {
			if err := into.importStore(from, f, tmp); err != nil {
				return err
			}
			sum.Stores++
		}
		if err := importQueues(ctx, c, objectShards, from, tmp, found.log, &sum); err != nil {
			return err
		}
		if found.ledger != nil {
			if err := c.SetNote(ctx, node.MigrationsNote, found.ledger); err != nil {
				return err
			}
		}
		note, err := json.Marshal(Imported{found.digest, heads(c.Shards()), sum})
		if err != nil {
			return err
		}
		return c.SetNote(ctx, importedNote, note)
	})
	if err != nil {
		return sum, fmt.Errorf("import: %w", err)
	}
	return sum, nil
}

func heads(shards []engine.Holding) (sum int64) {
	for _, s := range shards {
		sum += s.Head
	}
	return sum
}

func lastImport(ctx context.Context, from engine.Engine) (was Imported, err error) {
	n, err := from.Note(ctx, importedNote)
	if err == nil && n.Value != nil {
		err = json.Unmarshal(n.Value, &was)
	}
	return was, err
}

// empty fails if the cluster keeps something.
func empty(ctx context.Context, c engine.Archive, objectShards int) error {
	return c.Snapshot(ctx, func(c engine.Contents) error {
		some := map[string]bool{}
		err := objects.ListAll(ctx, c, func(_ int, o objects.Stored) {
			some[o.Key+"/"+storage.ObjectOf(o.ID)] = true
		})
		if err != nil {
			return err
		}
		log, err := files.Open(ctx, engine.SliceOf(ctx, c, objectShards), logstore.MachineFS{}, os.TempDir())
		if err == nil && (len(some) > 0 || len(log.Names()) > 0) {
			err = &OccupiedError{len(some)}
		}
		return err
	})
}

// target is where an import puts objects and stores.
type target struct {
	ctx    context.Context
	c      engine.Contents
	shards int // of objects
	parts  map[int]*engine.Slice
}

// shard is where an object goes, or a facet of one.
func (t target) shard(key, id string) *engine.Slice {
	shard := node.ShardOf(key, storage.ObjectOf(id), t.shards)
	if t.parts[shard] == nil {
		t.parts[shard] = engine.SliceOf(t.ctx, t.c, shard)
	}
	return t.parts[shard]
}

// importNamespace copies a namespace before it is opened: the directory stays as it is.
func (t target) importNamespace(from statedir.Dir, key, tmp string, sum *Summary) error {
	if err := os.CopyFS(tmp, os.DirFS(from.Namespace(key))); err != nil {
		return err
	}
	list, err := storage.Wholes(tmp)
	if err != nil {
		return err
	}
	facets, err := filepath.Glob(storage.FacetsFile(tmp, "*"))
	if err != nil {
		return err
	}
	for _, file := range facets {
		data, err := os.ReadFile(file)
		id := storage.ObjectOf(filepath.Base(file))
		if err == nil && len(data) > 0 {
			err = objects.PutFacets(t.shard(key, id), key, id, data)
		}
		if err != nil {
			return err
		}
	}
	for _, o := range list {
		if err := objects.Put(t.shard(key, o.ID), key, o.ID, o.Name, o.Alarm, o.Path); err != nil {
			return err
		}
		if storage.ObjectOf(o.ID) != o.ID {
			continue
		}
		sum.Objects++
		if !o.Alarm.IsZero() {
			sum.Alarms++
		}
	}
	if len(list) > 0 {
		sum.Namespaces++
	}
	return os.RemoveAll(tmp)
}

func importQueues(
	ctx context.Context, c engine.Contents, shard int, from statedir.Dir, tmp string, log []string, sum *Summary,
) error {
	scratch := filepath.ToSlash(filepath.Join(tmp, "queues"))
	to, err := files.Open(ctx, engine.SliceOf(ctx, c, shard), logstore.MachineFS{}, scratch)
	if err != nil {
		return err
	}
	for _, name := range log {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(from.Queues()), filepath.FromSlash(name)))
		if err != nil {
			return errors.Join(err, to.Close())
		}
		f, err := to.Create(name)
		if err == nil && len(data) > 0 {
			_, err = f.WriteAt(data, 0)
		}
		if err == nil {
			err = f.Sync()
		}
		if err != nil {
			return errors.Join(err, to.Close())
		}
		sum.QueueBytes += int64(len(data))
	}
	return errors.Join(to.SyncDir(""), to.Close())
}

// pageBytes is the page size of all databases of objects: what a cluster keeps of a log is whole pages.
const pageBytes = 4096

// oddPages tells whether a database has another page size.
func oddPages(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, 18)
	n, _ := f.ReadAt(head, 0)
	if n == 0 { // all of it is in the log
		return false, nil
	}
	return n < len(head) || !bytes.HasPrefix(head, []byte("SQLite format 3\x00")) ||
		int(head[16])<<8|int(head[17]) != pageBytes, nil
}
