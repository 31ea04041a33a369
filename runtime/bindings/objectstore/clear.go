package objectstore

import (
	"errors"
	"os"
)

// Clear empties a store: it removes the index's file and then the values. The next call makes new ones. A cluster's
// stays as it is.
func (x *Index) Clear() error {
	if x.residence != nil {
		return errors.New("a cluster's stores cannot be emptied at once")
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return errors.Join(x.restLocked(), RemoveFile(x.o.Path), os.RemoveAll(x.o.Values.Dir))
}

// Leave closes the file and removes it, because the store is another node's, or will be. The next call brings it here
// again, if it is.
func (x *Index) Leave() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	db := x.db
	x.db = nil
	return x.residence.Leave(db, true)
}

// Uses counts the calls so far. If it is what it was, nothing has been stored meanwhile.
func (x *Index) Uses() int64 { return x.uses.Load() }

// Rest closes the file until the next call: somebody replaces it meanwhile.
func (x *Index) Rest() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.restLocked()
}

func (x *Index) restLocked() error {
	db := x.db
	x.db = nil
	switch {
	case db == nil:
		return nil
	case x.residence != nil:
		return x.residence.Leave(db, false)
	}
	return db.Close()
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
