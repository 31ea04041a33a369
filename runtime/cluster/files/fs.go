package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"eddy/queues/logstore"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/statedir"
)

// Shard is what an FS needs of the shard that it lies in: a member.Shard.
type Shard interface {
	Number() int64
	Keep(b engine.Batch) error
	Read(ctx context.Context, from, to engine.Key, fn func(engine.Key, engine.Value) error) error
}

// FS is a file system in a shard. Make one with [Open].
type FS struct {
	shard   Shard
	scratch logstore.FS
	dir     string // in scratch

	mu    sync.Mutex
	names map[string]*content // guarded by mu, as is all below
	next  int64               // the id of the next file
	locks map[string]bool
	// changes are creations, renames and removals that are not kept yet.
	changes engine.Batch
}

var _ logstore.FS = (*FS)(nil)

// record is what is kept of a file beside its bytes.
type record struct {
	ID   int64 `json:"id"`
	Size int64 `json:"size"`
	Last int64 `json:"last,omitempty"`
}

const (
	records = "f/"
	bytesOf = "d/"
)

// Open reads the names of the files that are kept. dir is an empty folder of scratch.
func Open(ctx context.Context, shard Shard, scratch logstore.FS, dir string) (*FS, error) {
	f := &FS{shard: shard, scratch: scratch, dir: dir, names: map[string]*content{}, locks: map[string]bool{}}
	if err := scratch.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("scratch: %w", err)
	}
	all := engine.Prefix(records)
	err := shard.Read(ctx, all.From, all.To, func(k engine.Key, v engine.Value) error {
		var r record
		if err := json.Unmarshal(v.Data, &r); err != nil {
			return fmt.Errorf("the record %s cannot be read: %w", k, err)
		}
		f.names[strings.TrimPrefix(string(k), records)] = &content{fs: f, kept: r, size: r.Size, dirty: -1}
		f.next = max(f.next, r.ID+1)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the files of the shard: %w", err)
	}
	return f, nil
}

// clean is the one form of a name.
func clean(name string) string { return strings.TrimPrefix(path.Clean("/"+name), "/") }

// MkdirAll implements [logstore.FS]. It has nothing to do: a folder exists once a file in it does.
func (f *FS) MkdirAll(string) error { return nil }

// List implements [logstore.FS].
func (f *FS) List(dir string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for name := range f.names {
		if clean(path.Dir(name)) == clean(dir) {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

// Names are all files, by name.
func (f *FS) Names() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.names))
}

// Open implements [logstore.FS]. The first time it brings the file's bytes into scratch.
func (f *FS) Open(name string) (logstore.File, error) {
	f.mu.Lock()
	c := f.names[clean(name)]
	f.mu.Unlock()
	if c == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return c.open(name)
}

// Create implements [logstore.FS].
func (f *FS) Create(name string) (logstore.File, error) {
	f.mu.Lock()
	c := &content{fs: f, kept: record{ID: f.next}, dirty: -1}
	f.next++
	f.forgetLocked(clean(name))
	f.names[clean(name)] = c
	f.recordLocked(&f.changes, clean(name), c.kept)
	f.mu.Unlock()
	file, err := f.scratch.Create(c.path())
	if err != nil {
		return nil, fmt.Errorf("scratch: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.local = file
	return c, nil
}

// Rename implements [logstore.FS].
func (f *FS) Rename(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.names[clean(from)]
	if c == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	f.forgetLocked(clean(to))
	delete(f.names, clean(from))
	f.changes.Add(engine.Batch{Deletes: []engine.Range{one(records + clean(from))}})
	f.names[clean(to)] = c
	f.recordLocked(&f.changes, clean(to), c.kept)
	return nil
}

// Remove implements [logstore.FS].
func (f *FS) Remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.names[clean(name)] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	f.forgetLocked(clean(name))
	return nil
}

// forgetLocked is called with mu held. Who has the file open may still read it.
func (f *FS) forgetLocked(name string) {
	if c := f.names[name]; c != nil {
		delete(f.names, name)
		f.changes.Add(engine.Batch{Deletes: []engine.Range{one(records + name), engine.Prefix(c.prefix(c.kept.ID))}})
	}
}

// recordLocked is called with mu held.
func (f *FS) recordLocked(b *engine.Batch, name string, r record) {
	data, err := json.Marshal(r)
	if err != nil {
		panic(err) // numbers
	}
	b.Add(engine.Batch{Puts: []engine.Put{{Key: engine.Key(records + name),
		Value: engine.Value{Data: data, Number: f.shard.Number()}}}})
}

// one is the range of one key.
func one(key string) engine.Range {
	return engine.Range{From: engine.Key(key), To: engine.Key(key + "\x00")}
}

// InPlace implements [logstore.FS].
func (f *FS) InPlace(name string, file logstore.File) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.names[clean(name)] == file
}

// Watch implements [logstore.FS]. Nobody else can change the files while the shard is this node's, and no sync succeeds
// after that.
func (*FS) Watch(string) (changed func() bool, end func() error) {
	first := true
	return func() bool { was := first; first = false; return was }, func() error { return nil }
}

// SyncDir implements [logstore.FS].
func (f *FS) SyncDir(string) error {
	f.mu.Lock()
	b := f.changes
	f.changes = engine.Batch{}
	f.mu.Unlock()
	return f.commit(b)
}

// commit waits until a batch is kept.
func (f *FS) commit(b engine.Batch) error {
	if len(b.Puts) == 0 && len(b.Deletes) == 0 {
		return nil
	}
	return f.shard.Keep(b)
}

// Lock implements [logstore.FS]. Other nodes are kept out by the shard.
func (f *FS) Lock(name string) (logstore.Lock, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.locks[clean(name)] {
		return nil, &statedir.LockedError{File: name}
	}
	f.locks[clean(name)] = true
	return lock{f, clean(name)}, nil
}

type lock struct {
	fs   *FS
	name string
}

func (lock) InPlace() bool { return true }

func (l lock) Release() error {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	delete(l.fs.locks, l.name)
	return nil
}

// Close closes the files of scratch.
func (f *FS) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, c := range f.names {
		errs = append(errs, c.closeLocal())
	}
	return errors.Join(errs...)
}

// Damaged tells whether an error says that what is kept is not what was written: trying again does not help.
func Damaged(err error) bool {
	var damage *engine.DamageError
	return errors.As(err, &damage)
}
