package objectstore

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"eddy/queues/logstore"
	"eddy/runtime/cluster/objects"
	"eddy/runtime/sqlite"
)

// Values are a store's values: files of a directory, which is made by the first one, or in a cluster what lies beside
// the index in its shard. Any goroutine.
type Values struct {
	// Dir is the directory.
	Dir string
	// Relaxed leaves it to the operating system when a value reaches the disk.
	Relaxed bool
}

// Made is a value that was written, and that no index names yet.
type Made struct {
	// Name is what the index calls it.
	Name string

	stay  *objects.Stay // nil for a file
	value *objects.Draft
}

// File is the path of a value. Another program may have written the index, so a name in it must not lead out of the
// directory.
func (v Values) File(name string) string { return filepath.Join(v.Dir, filepath.Base(name)) }

// newName is random bytes and the time, in hex, as miniflare makes names.
func newName(now time.Time) (string, error) {
	b := make([]byte, 32)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s%016x", hex.EncodeToString(b), now.UnixMilli()), nil
}

// Write stores a value as a file under a new name.
func (v Values) Write(from io.Reader, now time.Time) (name string, err error) {
	if name, err = newName(now); err != nil {
		return "", err
	}
	if err := os.MkdirAll(v.Dir, sqlite.DirMode); err != nil {
		return "", err
	}
	f, err := os.OpenFile(v.File(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, sqlite.FileMode)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, from)
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

// Remove deletes files of values; one that is gone already is no error.
func (v Values) Remove(names ...string) error {
	var errs []error
	for _, n := range names {
		if err := os.Remove(v.File(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Make stores a value, for [Index.Exchange].
func (x *Index) Make(from io.Reader, now time.Time) (Made, error) {
	if x.residence == nil {
		name, err := x.o.Values.Write(from, now)
		return Made{Name: name}, err
	}
	name, err := newName(now)
	if err != nil {
		return Made{}, err
	}
	stay, err := x.stay()
	if err != nil {
		return Made{}, err
	}
	value, err := stay.Write(name, from)
	return Made{Name: name, stay: stay, value: value}, err
}

// Unmake takes a value away that no index will name.
func (x *Index) Unmake(m Made) error {
	if m.stay != nil {
		m.stay.Discard(m.value)
		return nil
	}
	return x.o.Values.Remove(m.Name)
}

// ReadValue reads a value; [fs.ErrNotExist] if it is gone.
func (x *Index) ReadValue(name string) ([]byte, error) {
	if x.residence == nil {
		return os.ReadFile(x.o.Values.File(name))
	}
	stay, err := x.stay()
	if err != nil {
		return nil, err
	}
	return stay.Value(name)
}

// OpenValue reads the bytes of a value from one up to another. It is called within [Index.Read] or Exchange: who
// overwrites the key then removes the value, but it stays readable until it is closed.
func (x *Index) OpenValue(name string, from, to int64) (io.ReadCloser, error) {
	if x.residence != nil {
		return x.residence.Stay().Open(name, from, to), nil
	}
	f, err := os.Open(x.o.Values.File(name))
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(f, from, to-from), f}, nil
}

// Exchange is a [Index.Write] that names values anew and forgets others, which it returns: they are taken away when the
// write has happened, and those made if it has not.
func (x *Index) Exchange(made []Made, f func(Execute) (forgotten []string, err error)) error {
	if x.residence != nil {
		return x.exchange(made, f)
	}
	var old []string
	err := x.Write(func(q Execute) (err error) {
		old, err = f(q)
		return err
	})
	if err != nil {
		old = old[:0]
		for _, m := range made {
			old = append(old, m.Name)
		}
	}
	if unremoved := x.o.Values.Remove(old...); unremoved != nil {
		err = errors.Join(err, unremoved)
	}
	return err
}

// exchange is Exchange in a cluster: one batch has the commit and what it does to values.
func (x *Index) exchange(made []Made, f func(Execute) ([]string, error)) error {
	return x.call(func() (c change, err error) {
		for _, m := range made {
			if m.stay != x.residence.Stay() {
				return c, ErrElsewhere // the store was away meanwhile, and the value was swept
			}
			c.made = append(c.made, m.value)
		}
		err = x.transaction(func(q Execute) (err error) {
			c.forgotten, err = f(q)
			return err
		})
		if err != nil {
			for _, m := range made {
				m.stay.Discard(m.value)
			}
			c = change{}
		}
		return c, err
	})
}
