package logstore

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"eddy/runtime/statedir"
)

// MemFS keeps files in memory: for tests and for servers that are told to keep nothing. Make one with [NewMemFS].
// It outlives the logs opened on it, so a log can be closed and opened again.
type MemFS struct {
	mu    sync.Mutex
	files map[string]*memFile // guarded by mu
	locks map[string]bool     // guarded by mu
}

// NewMemFS returns an empty file system.
func NewMemFS() *MemFS {
	return &MemFS{files: map[string]*memFile{}, locks: map[string]bool{}}
}

// MkdirAll implements [FS]. It has nothing to do: a folder exists once a file in it does.
func (m *MemFS) MkdirAll(string) error { return nil }

// List implements [FS].
func (m *MemFS) List(dir string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var names []string
	for name := range m.files {
		if path.Dir(name) == strings.TrimSuffix(dir, "/") {
			names = append(names, path.Base(name))
		}
	}
	return names, nil
}

// Open implements [FS].
func (m *MemFS) Open(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, ok := m.files[name]
	if !ok {
		return nil, fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
	}
	return f, nil
}

// Create implements [FS].
func (m *MemFS) Create(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := &memFile{}
	m.files[name] = f
	return f, nil
}

// Rename implements [FS].
func (m *MemFS) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, ok := m.files[from]
	if !ok {
		return fmt.Errorf("rename %s: %w", from, fs.ErrNotExist)
	}
	delete(m.files, from)
	m.files[to] = f
	return nil
}

// Remove implements [FS].
func (m *MemFS) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.files[name]; !ok {
		return fmt.Errorf("remove %s: %w", name, fs.ErrNotExist)
	}
	delete(m.files, name)
	return nil
}

// InPlace implements [FS].
func (m *MemFS) InPlace(name string, f File) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.files[name] == f
}

// Watch implements [FS].
func (*MemFS) Watch(string) (changed func() bool, end func() error) {
	return func() bool { return true }, func() error { return nil }
}

// SyncDir implements [FS].
func (m *MemFS) SyncDir(string) error { return nil }

// Lock implements [FS].
func (m *MemFS) Lock(name string) (Lock, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locks[name] {
		return nil, &statedir.LockedError{File: name}
	}
	m.locks[name] = true
	return memLock{m, name}, nil
}

// memLock is a lock in memory; nobody can take its file away.
type memLock struct {
	fs   *MemFS
	name string
}

func (memLock) InPlace() bool { return true }

func (l memLock) Release() error {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	delete(l.fs.locks, l.name)
	return nil
}

type memFile struct {
	mu   sync.RWMutex
	data []byte // guarded by mu
}

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if grow := off + int64(len(p)) - int64(len(f.data)); grow > 0 {
		f.data = append(f.data, make([]byte, grow)...)
	}
	return copy(f.data[off:], p), nil
}

func (f *memFile) Size() (int64, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return int64(len(f.data)), nil
}

func (f *memFile) Truncate(size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if size < int64(len(f.data)) {
		f.data = f.data[:size]
		return nil
	}
	f.data = append(f.data, make([]byte, size-int64(len(f.data)))...)
	return nil
}

func (f *memFile) Sync() error  { return nil }
func (f *memFile) Close() error { return nil }
