package objectstore

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"eddy/queues/logstore"
	"eddy/runtime/sqlite"
)

// Values is the directory of a store's values. It is made by the first value.
type Values struct {
	Dir string
	// Relaxed leaves it to the operating system when a value reaches the disk.
	Relaxed bool
}

// File is the path of a value. Another program may have written the index, so a name in it must not lead out of the
// directory.
func (v Values) File(name string) string { return filepath.Join(v.Dir, filepath.Base(name)) }

// Write stores a value under a new name, made as miniflare does: random bytes and the time, in hex.
func (v Values) Write(data []byte, now time.Time) (name string, err error) {
	b := make([]byte, 32)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	name = fmt.Sprintf("%s%016x", hex.EncodeToString(b), now.UnixMilli())
	if err := os.MkdirAll(v.Dir, sqlite.DirMode); err != nil {
		return "", err
	}
	f, err := os.OpenFile(v.File(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, sqlite.FileMode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil && !v.Relaxed {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	if v.Relaxed {
		return name, nil
	}
	return name, logstore.MachineFS{}.SyncDir(v.Dir)
}

// Remove deletes values; one that is gone already is no error.
func (v Values) Remove(names ...string) error {
	var errs []error
	for _, n := range names {
		if err := os.Remove(v.File(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
