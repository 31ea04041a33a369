package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// FileMode and DirMode are the modes of what eddy writes into a state directory: objects and values are for their owner
// alone.
const (
	FileMode fs.FileMode = 0o600
	DirMode  fs.FileMode = 0o700
)

// MaxPath is how many bytes the path of a database may have after symbolic links are followed. SQLite's layer for files
// has room for 512, with the endings that it appends (mxPathname in os_unix.c).
const MaxPath = 504

// ErrNotFile says that something other than a file is where a database, or a file that belongs to one, should be. A
// symbolic link is not followed: it may lead out of the state directory.
var ErrNotFile = errors.New("it is not a file")

// ErrMoved says that the open file is no longer the one at its path. What is written to it is lost when it is closed.
var ErrMoved = errors.New("it was removed or replaced while it was open")

// companions are the endings of the files that belong to a database, its own included.
var companions = []string{"", "-wal", "-shm"}

// Remove removes a database that nobody has open, and then the files that belong to it, as far as they are there. It
// ends at the first that cannot be removed.
func Remove(path string) error {
	for _, suffix := range companions {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// CheckPlace refuses a database, as [ErrNotFile], if something at one of its paths is not a file.
func CheckPlace(path string) error {
	for _, suffix := range companions {
		st, err := os.Lstat(path + suffix)
		if err == nil && !st.Mode().IsRegular() {
			return fmt.Errorf("%s: %w", path+suffix, ErrNotFile)
		}
	}
	return nil
}

// Moved reports, as [ErrMoved], that the database file or its log is not at its path any more. It costs two looks at
// the directory.
func (db *DB) Moved() error {
	file, err := placeOf(db.path)
	if err != nil || !file.same(db.file) {
		return fmt.Errorf("database %s: %w", db.path, ErrMoved)
	}
	log, err := placeOf(db.logPath)
	switch {
	case err != nil && db.log == place{}:
		return nil // nothing was written yet
	case err != nil, db.log != place{} && !log.same(db.log):
		return fmt.Errorf("log of database %s: %w", db.path, ErrMoved)
	}
	db.log = log
	return nil
}
