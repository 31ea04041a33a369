package statedir

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
)

// Held is a lock file that this process has.
type Held struct {
	file string
	f    *os.File
	info os.FileInfo // which file it is
	// changed is when the file's entry last changed, as of the last look, in a form that only the system's half
	// understands.
	changed atomic.Int64
}

// Lock takes a lock file, which it makes if need be, and writes this process's id into it. The lock is the operating
// system's and ends with Release or with the process, however that ends. On Unix a symbolic link is refused. A lock
// that is held gives a *[LockedError].
func Lock(file string) (*Held, error) {
	f, err := lockFile(file)
	if errors.Is(err, errLockHeld) {
		return nil, &LockedError{File: file, Pid: readPid(file)}
	}
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Held{file: file, f: f, info: info}, nil
}

// Release gives the lock back. It does not leave that to the end of the file: a process that another goroutine is just
// starting has the file, too, until its program runs.
func (h *Held) Release() error { return errors.Join(unlockFile(h.f), h.f.Close()) }

// InPlace tells whether the lock still keeps others out. It does not once somebody has removed or moved its file. It
// does if a folder above the file was moved: the lock has gone with it. InPlace is cheap enough for every write to a
// log, and any goroutine may call it.
func (h *Held) InPlace() bool {
	if !touched(h.f, &h.changed) || h.atPath() {
		return true
	}
	h.changed.Store(0) // the next caller gets the same answer
	return false
}

// atPath tells whether the file at the lock's path is the lock.
func (h *Held) atPath() bool {
	there, err := os.Lstat(h.file)
	return err == nil && os.SameFile(there, h.info)
}

// readPid returns the process that has a lock, 0 if the file does not say.
func readPid(file string) int {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// LockWorker takes the lock of a Worker: its Durable Objects live in one session at a time.
func (d Dir) LockWorker(worker string) (unlock func() error, err error) {
	h, err := d.HoldWorker(worker)
	if err != nil {
		return nil, err
	}
	return h.Release, nil
}

// HoldWorker is LockWorker for a session that looks again and again whether it still has the lock.
func (d Dir) HoldWorker(worker string) (*Held, error) {
	file := d.WorkerLock(worker)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	return Lock(file)
}
