package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"eddy/runtime/sqlite"
)

// syncer makes write-ahead logs durable off the loop. Requests for one file
// that arrive while it is being synced share the next sync.
type syncer struct {
	mu    sync.Mutex
	wg    sync.WaitGroup
	files map[string]*syncFile // guarded by mu; entries with work only

	faults *sqlite.Faults
	// slots bound the syncs that run at once, each of which opens files.
	slots chan struct{}
}

// syncFile is the state of one file; all fields are guarded by syncer.mu.
type syncFile struct {
	waiting []func(error)
	fresh   *sqlite.DB // set if the file was created
	withDir bool
}

func newSyncer(faults *sqlite.Faults) *syncer {
	return &syncer{files: map[string]*syncFile{}, faults: faults,
		slots: make(chan struct{}, min(64, max(descriptors()/32, 2)))}
}

// request calls done, on another goroutine, when everything written to the
// database at path before this call is durable. withDir also makes the
// creation or removal of the file durable, fresh the first page of a new file.
func (y *syncer) request(path string, fresh *sqlite.DB, withDir bool, done func(error)) {
	y.mu.Lock()
	defer y.mu.Unlock()
	f := y.files[path]
	if f != nil {
		f.waiting = append(f.waiting, done)
		f.withDir = f.withDir || withDir
		if fresh != nil {
			f.fresh = fresh
		}
		return
	}
	y.files[path] = &syncFile{waiting: []func(error){done}, fresh: fresh, withDir: withDir}
	y.wg.Go(func() { y.run(path) })
}

// run syncs a file until nobody waits for it.
func (y *syncer) run(path string) {
	for {
		y.mu.Lock()
		f := y.files[path]
		waiting, fresh, withDir := f.waiting, f.fresh, f.withDir
		if len(waiting) == 0 {
			delete(y.files, path)
			y.mu.Unlock()
			return
		}
		f.waiting, f.fresh, f.withDir = nil, nil, false
		y.mu.Unlock()
		y.slots <- struct{}{}
		err := syncDatabase(path, fresh, withDir, y.faults)
		<-y.slots
		for _, done := range waiting {
			done(err)
		}
	}
}

func (y *syncer) wait() { y.wg.Wait() }

// syncDatabase makes the log of a database durable. A log that is gone was
// copied into the database, which SQLite syncs before it removes the log.
func syncDatabase(path string, fresh *sqlite.DB, withDir bool, faults *sqlite.Faults) error {
	err := faults.Check(0)
	if err == nil {
		err = syncFileAt(path+"-wal", os.O_RDWR)
	}
	if err == nil && fresh != nil {
		err = fresh.SyncFile()
	}
	if err == nil && withDir && runtime.GOOS != "windows" { // which has no such thing
		err = syncFileAt(filepath.Dir(path), os.O_RDONLY)
	}
	if err != nil {
		return fmt.Errorf("make %s durable: %w", path, err)
	}
	return nil
}

// syncFileAt syncs a file or directory; one that does not exist is no error.
// Never call it for a file that SQLite locks: closing any descriptor of it
// drops the process's locks.
func syncFileAt(name string, flag int) error {
	f, err := os.OpenFile(name, flag, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
