package logstore

import (
	"errors"
	"io"
	"syscall"
)

// FS is what the log needs of a file system: [MachineFS], [MemFS], and in tests one that fails and loses power. Names
// are paths as the implementation understands them, with forward slashes.
type FS interface {
	MkdirAll(dir string) error
	// List returns the base names of the files in dir.
	List(dir string) ([]string, error)
	// Open opens an existing file for reading and writing.
	Open(name string) (File, error)
	// Create makes an empty file, truncating one that exists.
	Create(name string) (File, error)
	// Rename replaces to if it exists.
	Rename(from, to string) error
	Remove(name string) error
	// InPlace tells whether the open file f is still the one of that name.
	InPlace(name string, f File) bool
	// Watch gives a function that tells whether another folder may be at the path than when it was last asked, or
	// other files in it. The first answer is true. One goroutine asks, until it calls end.
	Watch(dir string) (changed func() bool, end func() error)
	// SyncDir makes creations, renames and removals in dir durable.
	SyncDir(dir string) error
	// Lock takes the named lock file for this process. A lock held elsewhere gives a *[statedir.LockedError]. The lock
	// ends with its release or with the process.
	Lock(name string) (Lock, error)
}

// Lock is a lock file that this process has.
type Lock interface {
	// InPlace tells whether the lock still keeps others out. It does not once somebody has removed its file.
	InPlace() bool
	Release() error
}

// File is an open file. ReadAt may run concurrently with everything else.
type File interface {
	io.ReaderAt
	io.WriterAt
	Size() (int64, error)
	Truncate(size int64) error
	// Sync makes everything written so far durable.
	Sync() error
	Close() error
}

// ErrPoisoned is returned by every call after a write or sync has failed, but for a write to a full disk.
var ErrPoisoned = errors.New("the log has refused a write and must be opened again")

// ErrFull says that the disk has no room for what was to be written. The log is as it was before, and takes it when
// there is room again.
var ErrFull = errors.New("there is no room for the queues' log")

// noRoom tells whether an operation has failed because the disk is full, or somebody's part of it.
func noRoom(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// ErrMoved says that the file that is open is not the one at its path any more: what is written to it is lost when it
// is closed.
var ErrMoved = errors.New("it was removed or replaced while it was open")
