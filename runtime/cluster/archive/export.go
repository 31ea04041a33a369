package archive

import (
	"context"
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
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
)

// Summary is what an export or an import has taken.
type Summary struct {
	Objects    int   `json:"objects"`
	Namespaces int   `json:"namespaces"`
	Alarms     int   `json:"alarms"`
	QueueBytes int64 `json:"queueBytes"`
	// Stores are KV namespaces, D1 databases, R2 buckets, stores of secrets,
	// workflows, vector indexes and pipelines.
	Stores int `json:"stores"`
	// Left are the files and folders of a state directory that are not taken, and why.
	Left []string `json:"left,omitempty"`
	// Before says that the same directory was imported before, and nothing has been written since.
	Before bool `json:"importedBefore,omitempty"`
}

// Export makes the state directory to, which must not exist or be empty, of what the cluster keeps. objectShards is
// how many shards objects have; the next one is that of the queues.
func Export(ctx context.Context, from engine.Archive, objectShards int, to string) (sum Summary, err error) {
	if entries, err := os.ReadDir(to); err == nil && len(entries) > 0 {
		return sum, fmt.Errorf("%s is not empty: name a directory that does not exist yet", to)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sum, err
	}
	if err := os.MkdirAll(filepath.Dir(to), sqlite.DirMode); err != nil {
		return sum, err
	}
	made, err := os.MkdirTemp(filepath.Dir(to), "."+filepath.Base(to)+"-")
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }() // nothing once it has its name
	// Also what was exported of an empty cluster is a state directory.
	if err := statedir.Dir(made).Make(); err != nil {
		return sum, err
	}
	if err := from.Snapshot(ctx, func(c engine.Contents) error {
		return export(ctx, c, objectShards, statedir.Dir(made), &sum)
	}); err != nil {
		return sum, fmt.Errorf("export: %w", err)
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sum, err
	}
	return sum, os.Rename(made, to)
}

func export(ctx context.Context, c engine.Contents, objectShards int, to statedir.Dir, sum *Summary) error {
	names := map[string]map[string]string{} // by namespace and id
	for shard := range objectShards {
		list, lists, err := objects.List(engine.SliceOf(ctx, c, shard))
		if err != nil {
			return err
		}
		if err := exportFacets(lists, to); err != nil {
			return err
		}
		for _, o := range list {
			if o.IsStore() {
				if err := exportStore(&o, to); err != nil {
					return err
				}
				sum.Stores++
				continue
			}
			dir := to.Namespace(o.Key)
			if err := o.Write(storage.ObjectFile(dir, o.ID)); err != nil {
				return err
			}
			if storage.ObjectOf(o.ID) != o.ID {
				continue
			}
			if names[o.Key] == nil {
				names[o.Key] = map[string]string{}
			}
			names[o.Key][o.ID] = o.Name
			sum.Objects++
			if !o.Alarm.IsZero() {
				sum.Alarms++
			}
		}
	}
	sum.Namespaces = len(names)
	for key, called := range names {
		if err := storage.Settle(to.Namespace(key), called); err != nil {
			return err
		}
	}
	if err := exportQueues(ctx, c, objectShards, to, sum); err != nil {
		return err
	}
	ledger, err := c.Note(ctx, node.MigrationsNote)
	if err != nil || ledger == nil {
		return err
	}
	return to.RestoreApplied(ledger)
}

func exportFacets(lists objects.Lists, to statedir.Dir) error {
	for key, list := range lists {
		dir := to.Namespace(key)
		if err := os.MkdirAll(dir, sqlite.DirMode); err != nil {
			return err
		}
		for id, facets := range list {
			if err := os.WriteFile(storage.FacetsFile(dir, id), facets, sqlite.FileMode); err != nil {
				return err
			}
		}
	}
	return nil
}

func exportQueues(ctx context.Context, c engine.Contents, shard int, to statedir.Dir, sum *Summary) error {
	scratch, err := os.MkdirTemp("", "eddy-export-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	from, err := files.Open(ctx, engine.SliceOf(ctx, c, shard), logstore.MachineFS{}, filepath.ToSlash(scratch))
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // it was only read
	for _, name := range from.Names() {
		path := filepath.Join(filepath.Dir(to.Queues()), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), sqlite.DirMode); err != nil {
			return err
		}
		f, err := from.Open(name)
		if err != nil {
			return err
		}
		data, err := contentOf(f)
		if err == nil {
			err = os.WriteFile(path, data, sqlite.FileMode)
		}
		if err != nil {
			return err
		}
		sum.QueueBytes += int64(len(data))
	}
	return nil
}

// contentOf reads a file: a segment or a snapshot of the log, some megabytes.
func contentOf(f logstore.File) ([]byte, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if n, err := f.ReadAt(data, 0); int64(n) < size {
		return nil, err
	}
	return data, nil
}
