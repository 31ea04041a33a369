package objectstore

import (
	"errors"
	"os"
)

// Clear empties a store: it removes the index's file and then the values. The next call makes new ones.
func (x *Index) Clear(values Values) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return errors.Join(x.restLocked(), RemoveFile(x.o.Path), os.RemoveAll(values.Dir))
}

// Uses counts the calls so far. If it is what it was, nothing has been stored meanwhile.
func (x *Index) Uses() int64 { return x.uses.Load() }

// Rest closes the file until the next call: somebody replaces it meanwhile.
func (x *Index) Rest() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.restLocked()
}

func (x *Index) restLocked() (err error) {
	if x.db != nil {
		err = x.db.Close()
		x.db = nil
	}
	return err
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
