package logstore

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"

	"eddy/runtime/statedir"
)

// MachineFS is the machine's file system.
type MachineFS struct{}

// MkdirAll implements [FS].
func (MachineFS) MkdirAll(dir string) error { return os.MkdirAll(dir, 0o700) }

// List implements [FS].
func (MachineFS) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Open implements [FS]. It does not follow a symbolic link: the log opens only files that it has made itself.
func (MachineFS) Open(name string) (File, error) { return openFile(name, os.O_RDWR) }

// Create implements [FS].
func (MachineFS) Create(name string) (File, error) {
	return openFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

// errLink is why a symbolic link is not opened.
var errLink = errors.New("it is a symbolic link, which the log does not follow: put the file itself in its place")

// ReadFile reads a file of a log as it is. It does not follow a symbolic link either.
func ReadFile(name string) ([]byte, error) {
	f, err := open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

func open(name string, flag int) (*os.File, error) {
	f, err := os.OpenFile(name, flag|noFollow, 0o600)
	if err != nil {
		if st, stErr := os.Lstat(name); stErr == nil && st.Mode()&fs.ModeSymlink != 0 {
			return nil, &fs.PathError{Op: "open", Path: name, Err: errLink}
		}
		return nil, err
	}
	return f, nil
}

func openFile(name string, flag int) (File, error) {
	f, err := open(name, flag)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &osFile{File: f, opened: info}, nil
}

// Rename implements [FS].
func (MachineFS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements [FS].
func (MachineFS) Remove(name string) error { return os.Remove(name) }

// InPlace implements [FS].
func (MachineFS) InPlace(name string, f File) bool {
	info, err := os.Lstat(name)
	return err == nil && os.SameFile(info, f.(*osFile).opened)
}

// SyncDir implements [FS]. Windows has no such operation and needs none: its metadata journal keeps the order.
func (MachineFS) SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Lock implements [FS] with a lock that the operating system drops when the process ends, however it ends.
func (MachineFS) Lock(name string) (Lock, error) {
	h, err := statedir.Lock(name)
	if err != nil {
		return nil, err
	}
	return h, nil
}

type osFile struct {
	*os.File
	opened os.FileInfo // which file it is; the size is out of date
	// reserved is up to where there is room on the disk, 0 if nothing was reserved. It is the appending goroutine's.
	reserved int64
	refused  bool // the file system reserves nothing
}

// What is reserved ahead of an append: as much as there is, within these bounds. A file may be longer on the disk than
// it says by mostReserved until it is closed, or for ever if its process is killed.
const (
	leastReserved = 16 << 10
	mostReserved  = 256 << 10
)

// WriteAt implements [File]. Where a file grows by many small writes, each of which is synced, it reserves the blocks
// ahead: otherwise every sync has to wait for the file system's own log as well. What was reserved is no part of the
// file: its size is what was written.
func (f *osFile) WriteAt(p []byte, off int64) (int, error) {
	if end := off + int64(len(p)); off > 0 && end > f.reserved && !f.refused {
		to := end + min(max(end, leastReserved), mostReserved)
		if f.refused = !reserve(f.File, off, to); !f.refused {
			f.reserved = to
		}
	}
	return f.File.WriteAt(p, off)
}

// Truncate implements [File]. It gives back what was reserved.
func (f *osFile) Truncate(size int64) error {
	f.reserved = 0
	return f.File.Truncate(size)
}

// Close implements [File]. It gives back what was reserved.
func (f *osFile) Close() error {
	var err error
	if f.reserved > 0 || f.refused { // a refusal may come halfway
		var size int64
		if size, err = f.Size(); err == nil {
			err = f.Truncate(size)
		}
	}
	return errors.Join(err, f.File.Close())
}

func (f *osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
