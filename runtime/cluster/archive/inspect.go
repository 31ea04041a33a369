package archive

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"eddy/durableobject/storage"
	"eddy/queues"
	"eddy/runtime/statedir"
)

// found is what a state directory has.
type found struct {
	namespaces []string
	log        []string // files of the queues' log, relative to the folder above it
	ledger     []byte
	digest     string
	stores     []storeFile
	left       []string
}

// Unfit says why a state directory cannot be imported: all that is in the way.
type Unfit struct {
	Dir     statedir.Dir
	Reasons []string
}

func (e *Unfit) Error() string {
	return fmt.Sprintf("%s cannot be imported:\n  %s", e.Dir, strings.Join(e.Reasons, "\n  "))
}

// inspect reads a state directory on which no session runs, and keeps sessions out until unlock is called.
func inspect(d statedir.Dir) (f found, unlock func(), err error) {
	unlock = func() {}
	defer func() {
		if err != nil {
			unlock()
		}
	}()
	if _, err := os.Stat(string(d)); err != nil {
		return f, unlock, err
	}
	bad := &Unfit{Dir: d}
	why := func(format string, args ...any) { bad.Reasons = append(bad.Reasons, fmt.Sprintf(format, args...)) }
	if _, err := os.Stat(d.Queues()); err == nil {
		c, err := queues.CheckLog(d.Queues())
		var locked *statedir.LockedError
		switch {
		case errors.As(err, &locked):
			why("process %d has it open: end that session first", locked.Pid)
			return f, unlock, bad // what a session writes meanwhile says nothing
		case err != nil:
			return f, unlock, err
		case !c.Sound():
			why("the queues' log is damaged: eddy state check says how, eddy state repair mends it")
		}
		held, err := statedir.Lock(filepath.Join(d.Queues(), "lock"))
		if err != nil {
			return f, unlock, err
		}
		unlock = func() { _ = held.Release() }
	}
	if err := f.inspectObjects(d, why); err != nil {
		return f, unlock, err
	}
	if f.stores, err = storesOf(d); err != nil {
		return f, unlock, err
	}
	for _, x := range f.stores {
		odd, err := oddPages(x.path)
		if err != nil {
			return f, unlock, err
		}
		if odd && x.kind != pipelines {
			why("%s is no SQLite database with pages of %d bytes", x.path, pageBytes)
		}
	}
	if err := f.inspectRest(d); err != nil {
		return f, unlock, err
	}
	layout := filepath.Dir(d.Objects())
	if _, err := os.Stat(layout); errors.Is(err, fs.ErrNotExist) {
		why("it has no folder %s: is it a state directory?", filepath.Base(layout))
	} else if err != nil {
		return f, unlock, err
	}
	if len(bad.Reasons) > 0 {
		return f, unlock, bad
	}
	f.digest, err = f.sum(d)
	return f, unlock, err
}

// inspectObjects lists namespaces and says what of their objects a cluster cannot have.
func (f *found) inspectObjects(d statedir.Dir, why func(string, ...any)) error {
	damaged, err := storage.Check(d)
	if err != nil {
		return err
	}
	for _, x := range damaged {
		why("object %s of %s is damaged: %v", x.ID, x.Namespace, x.Err)
	}
	entries, err := os.ReadDir(d.Objects())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, ns := range entries {
		if !ns.IsDir() {
			continue
		}
		key := ns.Name()
		objects, err := os.ReadDir(d.Namespace(key))
		if err != nil {
			return err
		}
		some := false
		for _, o := range objects {
			id, ok := strings.CutSuffix(o.Name(), ".sqlite")
			if !ok || id == "metadata" {
				continue
			}
			some = true
			odd, err := oddPages(storage.ObjectFile(d.Namespace(key), id))
			if err != nil {
				return err
			}
			if odd {
				why("object %s of %s is no SQLite database with pages of %d bytes", id, key, pageBytes)
			}
		}
		if some {
			f.namespaces = append(f.namespaces, key)
		}
	}
	return nil
}

// inspectRest finds the log, the ledger, and what is left behind.
func (f *found) inspectRest(d statedir.Dir) error {
	own := filepath.Dir(d.Queues())
	log, err := os.ReadDir(d.Queues())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range log {
		if name := e.Name(); name != "lock" && e.Type().IsRegular() {
			f.log = append(f.log, filepath.Base(d.Queues())+"/"+name)
		}
	}
	if mark := filepath.Base(d.Queues()) + ".mark"; len(f.log) > 0 {
		if _, err := os.Stat(filepath.Join(own, mark)); err == nil {
			f.log = append(f.log, mark)
		}
	}
	if f.ledger, err = d.Applied(); err != nil {
		return err
	}
	f.left, err = d.Rest()
	return err
}

// sum is a digest of all that is imported.
func (f *found) sum(d statedir.Dir) (string, error) {
	h := sha256.New()
	add := func(path string) error {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // it was only read
		st, err := file.Stat()
		if err == nil {
			_, _ = fmt.Fprintf(h, "%s %d\n", strings.TrimPrefix(path, string(d)), st.Size()) // a hash takes all
			_, err = io.Copy(h, file)
		}
		return err
	}
	var all []string
	for _, key := range f.namespaces {
		objects, err := os.ReadDir(d.Namespace(key))
		if err != nil {
			return "", err
		}
		for _, o := range objects {
			if o.Type().IsRegular() && !strings.HasSuffix(o.Name(), "-shm") {
				all = append(all, filepath.Join(d.Namespace(key), o.Name()))
			}
		}
	}
	for _, name := range f.log {
		all = append(all, filepath.Join(filepath.Dir(d.Queues()), filepath.FromSlash(name)))
	}
	for _, x := range f.stores {
		list, err := x.files(d)
		if err != nil {
			return "", err
		}
		all = append(all, list...)
	}
	for _, path := range all {
		if err := add(path); err != nil {
			return "", err
		}
	}
	_, _ = h.Write(f.ledger)
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
