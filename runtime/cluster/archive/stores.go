package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eddy/durableobject"
	"eddy/runtime/cluster/objects"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
)

// kinds are the folders of stores of the bindings.
var kinds = []string{"kv", "d1", "r2", "secrets-store"}

// A workflow is a store without values, whose file has its name. Its key in the shards is made of these.
const flowKind, flowUnique = "workflows", "miniflare-WorkflowObject"

// storeFile is the index of a store in a state directory.
type storeFile struct {
	kind, unique, id, path string
	// name is what the id is made of, "" if no folder with values says so.
	name string
}

// key is that of the store in the shards.
func (f storeFile) key() string { return f.kind + "/" + f.unique }

// storesOf finds the stores in a state directory.
func storesOf(d statedir.Dir) (list []storeFile, err error) {
	for _, kind := range kinds {
		folder := filepath.Dir(filepath.Dir(d.Index(kind, "unique", "id")))
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		var names []string
		for _, e := range entries {
			if _, err := os.Stat(d.Blobs(kind, e.Name())); err == nil {
				names = append(names, e.Name())
			}
		}
		for _, e := range entries {
			files, err := filepath.Glob(filepath.Join(folder, e.Name(), "*.sqlite"))
			if err != nil || !strings.HasPrefix(e.Name(), "miniflare-") {
				continue // no folder of indexes
			}
			for _, path := range files {
				f := storeFile{kind: kind, unique: e.Name(), path: path,
					id: strings.TrimSuffix(filepath.Base(path), ".sqlite")}
				if f.id == "metadata" {
					continue // the reference's own
				}
				if i := slices.IndexFunc(names, func(name string) bool {
					return durableobject.IDFromName(f.unique, name).String() == f.id
				}); i >= 0 {
					f.name = names[i]
				}
				list = append(list, f)
			}
		}
	}
	flows, err := filepath.Glob(d.Workflow("*"))
	for _, path := range flows {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		list = append(list, storeFile{kind: flowKind, unique: flowUnique, path: path, name: name,
			id: durableobject.IDFromName(flowUnique, name).String()})
	}
	return list, err
}

// files are all files of the store.
func (f storeFile) files(d statedir.Dir) (list []string, err error) {
	for _, path := range []string{f.path, f.path + "-wal"} {
		if _, err := os.Stat(path); err == nil {
			list = append(list, path)
		}
	}
	if f.name == "" || f.kind == flowKind {
		return list, nil
	}
	values, err := os.ReadDir(d.Blobs(f.kind, f.name))
	for _, v := range values {
		if v.Type().IsRegular() {
			list = append(list, filepath.Join(d.Blobs(f.kind, f.name), v.Name()))
		}
	}
	return list, err
}

// importStore puts a store into its shard. It is copied before it is opened: the directory stays as it is.
func (t target) importStore(d statedir.Dir, f storeFile, tmp string) error {
	shard := t.shard(f.key(), f.id)
	list, err := f.files(d)
	if err != nil {
		return err
	}
	copied := filepath.Join(tmp, filepath.Base(f.path))
	for _, path := range list {
		from, err := os.Open(path)
		if err != nil {
			return err
		}
		if rest, ok := strings.CutPrefix(path, f.path); ok {
			err = copyTo(copied+rest, from)
		} else {
			err = objects.PutValue(shard, f.key(), f.id, filepath.Base(path), from)
		}
		if err = errors.Join(err, from.Close()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := settle(copied); err != nil {
		return err
	}
	if err := objects.Put(shard, f.key(), f.id, f.name, time.Time{}, copied); err != nil {
		return err
	}
	return sqlite.Remove(copied)
}

func copyTo(path string, from io.Reader) error {
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, sqlite.FileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// settle copies the log that lies beside a database into it.
func settle(path string) error {
	db, err := sqlite.Open(path, sqlite.Options{Existing: true, Repair: true})
	if err != nil {
		return err
	}
	_, err = db.Fold()
	return errors.Join(err, db.Close())
}

// exportStore writes a store into a state directory.
func exportStore(o *objects.Stored, to statedir.Dir) error {
	kind, unique, _ := strings.Cut(o.Key, "/")
	if kind == flowKind && filepath.IsLocal(o.Name) && filepath.Base(o.Name) == o.Name {
		path := to.Workflow(o.Name)
		if err := o.Write(path); err != nil {
			return err
		}
		return settle(path)
	}
	if !slices.Contains(kinds, kind) || !filepath.IsLocal(unique) || !filepath.IsLocal(o.ID) {
		return fmt.Errorf("%q is no kind of store", o.Key)
	}
	path := to.Index(kind, unique, o.ID)
	if err := o.Write(path); err != nil {
		return err
	}
	if err := settle(path); err != nil {
		return err
	}
	return o.Values(func(name string, piece []byte) error {
		if o.Name == "" || !filepath.IsLocal(o.Name) || !filepath.IsLocal(name) {
			return fmt.Errorf("the value %q of store %q (%s) has no place", name, o.Name, o.ID)
		}
		dir := to.Blobs(kind, o.Name)
		if err := os.MkdirAll(dir, sqlite.DirMode); err != nil {
			return err
		}
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, sqlite.FileMode)
		if err != nil {
			return err
		}
		_, err = f.Write(piece)
		return errors.Join(err, f.Close())
	})
}
