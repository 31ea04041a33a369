package logstoretest

import (
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path"
	"sync"

	"eddy/queues/logstore"
	"eddy/runtime/statedir"
)

// CrashFS is a file system in memory that knows what was synced. PowerCut returns what a disk may hold after the power
// has failed.
type CrashFS struct {
	mu sync.Mutex
	// All guarded by mu.
	names   map[string]*crashFile // as the running system sees the folder
	durable map[string]*crashFile // as of the last SyncDir
	pending []func(map[string]*crashFile)
	locked  bool
	fail    func(op, name string) error
}

// NewCrashFS returns an empty file system.
func NewCrashFS() *CrashFS {
	return &CrashFS{names: map[string]*crashFile{}, durable: map[string]*crashFile{}}
}

// FailWith makes operations fail for which f returns an error: "write", "sync", "create", "rename", "remove",
// "syncdir". A failing write still writes its first half. Nil makes all succeed again.
func (c *CrashFS) FailWith(f func(op, name string) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail = f
}

func (c *CrashFS) failingLocked(op, name string) error {
	if c.fail == nil {
		return nil
	}
	return c.fail(op, path.Base(name))
}

// PowerCut returns the file system as a power failure leaves it: all that was synced is there; of the rest r chooses
// any part, torn at sectors of 512 bytes. The old file system goes on for whoever still writes to it.
func (c *CrashFS) PowerCut(r *rand.Rand) *CrashFS {
	c.mu.Lock()
	defer c.mu.Unlock()
	folder := map[string]*crashFile{}
	for name, f := range c.durable {
		folder[name] = f
	}
	for _, op := range c.pending[:r.IntN(len(c.pending)+1)] {
		op(folder) // a journal keeps the order of its entries
	}
	after := NewCrashFS()
	copies := map[*crashFile]*crashFile{}
	for name, f := range folder {
		if copies[f] == nil {
			copies[f] = f.afterCut(after, r)
		}
		after.names[name], after.durable[name] = copies[f], copies[f]
	}
	return after
}

// MkdirAll implements logstore.FS.
func (c *CrashFS) MkdirAll(string) error { return nil }

// List implements logstore.FS.
func (c *CrashFS) List(string) ([]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for name := range c.names {
		out = append(out, path.Base(name))
	}
	return out, nil
}

// Open implements logstore.FS.
func (c *CrashFS) Open(name string) (logstore.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.names[name]; ok {
		return f, nil
	}
	return nil, fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
}

// Create implements logstore.FS.
func (c *CrashFS) Create(name string) (logstore.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.failingLocked("create", name); err != nil {
		return nil, err
	}
	f := &crashFile{fs: c, name: name}
	c.changeLocked(func(m map[string]*crashFile) { m[name] = f })
	return f, nil
}

func (c *CrashFS) changeLocked(op func(map[string]*crashFile)) {
	op(c.names)
	c.pending = append(c.pending, op)
}

// Rename implements logstore.FS.
func (c *CrashFS) Rename(from, to string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.failingLocked("rename", from); err != nil {
		return err
	}
	f, ok := c.names[from]
	if !ok {
		return fmt.Errorf("rename %s: %w", from, fs.ErrNotExist)
	}
	c.changeLocked(func(m map[string]*crashFile) { delete(m, from); m[to] = f })
	return nil
}

// Remove implements logstore.FS.
func (c *CrashFS) Remove(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.failingLocked("remove", name); err != nil {
		return err
	}
	c.changeLocked(func(m map[string]*crashFile) { delete(m, name) })
	return nil
}

// Watch implements logstore.FS.
func (*CrashFS) Watch(string) (changed func() bool, end func() error) {
	return func() bool { return true }, func() error { return nil }
}

// SyncDir implements logstore.FS.
func (c *CrashFS) SyncDir(dir string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.failingLocked("syncdir", dir); err != nil {
		return err
	}
	for _, op := range c.pending {
		op(c.durable)
	}
	c.pending = nil
	return nil
}

// InPlace implements logstore.FS.
func (c *CrashFS) InPlace(name string, f logstore.File) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.names[name] == f
}

// Lock implements logstore.FS.
func (c *CrashFS) Lock(name string) (logstore.Lock, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.locked {
		return nil, &statedir.LockedError{File: name, Pid: 1}
	}
	c.locked = true
	return crashLock{c}, nil
}

type crashLock struct{ fs *CrashFS }

func (crashLock) InPlace() bool { return true }

func (l crashLock) Release() error {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	l.fs.locked = false
	return nil
}

// crashFile is guarded by the lock of its file system.
type crashFile struct {
	fs      *CrashFS
	name    string
	data    []byte
	synced  []byte
	changes []change
}

type change struct {
	off  int64
	data []byte // nil: truncate at off
}

func (ch change) apply(data []byte) []byte {
	if ch.data == nil {
		if ch.off <= int64(len(data)) {
			return data[:ch.off]
		}
		return append(data, make([]byte, ch.off-int64(len(data)))...)
	}
	if grow := ch.off + int64(len(ch.data)) - int64(len(data)); grow > 0 {
		data = append(data, make([]byte, grow)...)
	}
	copy(data[ch.off:], ch.data)
	return data
}

func (f *crashFile) afterCut(fs *CrashFS, r *rand.Rand) *crashFile {
	data := append([]byte(nil), f.synced...)
	const sector = 512
	for _, ch := range f.changes {
		switch {
		case ch.data == nil || r.IntN(3) == 0:
			if r.IntN(2) == 0 {
				data = ch.apply(data)
			}
		default:
			for at := 0; at < len(ch.data); at += sector {
				if r.IntN(2) == 0 {
					data = change{ch.off + int64(at), ch.data[at:min(at+sector, len(ch.data))]}.apply(data)
				}
			}
		}
	}
	return &crashFile{fs: fs, name: f.name, data: data, synced: append([]byte(nil), data...)}
}

func (f *crashFile) ReadAt(p []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *crashFile) WriteAt(p []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	err := f.fs.failingLocked("write", f.name)
	if err != nil {
		p = p[:len(p)/2]
	}
	ch := change{off, append([]byte{}, p...)}
	f.data = ch.apply(f.data)
	f.changes = append(f.changes, ch)
	return len(p), err
}

func (f *crashFile) Size() (int64, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return int64(len(f.data)), nil
}

func (f *crashFile) Truncate(size int64) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	ch := change{off: size}
	f.data = ch.apply(f.data)
	f.changes = append(f.changes, ch)
	return nil
}

func (f *crashFile) Sync() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.fs.failingLocked("sync", f.name); err != nil {
		return err
	}
	for _, ch := range f.changes {
		f.synced = ch.apply(f.synced)
	}
	f.changes = nil
	return nil
}

func (f *crashFile) Close() error { return nil }
