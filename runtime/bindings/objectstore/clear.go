package objectstore

import (
	"errors"
	"os"
)

// Clear empties a store: it removes the index's file and then the values. The next call makes new ones.
func (x *Index) Clear(values Values) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	var err error
	if x.db != nil {
		err = x.db.Close()
		x.db = nil
	}
	return errors.Join(err, RemoveFile(x.o.Path), os.RemoveAll(values.Dir))
}

// RemoveFile removes an SQLite file that nobody has open, and what SQLite keeps beside it.
func RemoveFile(path string) error {
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
