package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
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

// named are the stores whose file has their name, by kind: what their key in the shards is made of, and their file.
var named = map[string]struct {
	unique string
	file   func(statedir.Dir, string) string
}{
	"workflows": {"miniflare-WorkflowObject", statedir.Dir.Workflow},
	"vectorize": {"miniflare-VectorizeIndexObject", statedir.Dir.Vectorize},
	pipelines:   {"miniflare-PipelineObject", statedir.Dir.Pipeline},
}

// pipelines are of records, which a state directory has in one file.
const pipelines = "pipelines"

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
	for kind, as := range named {
		entries, err := os.ReadDir(filepath.Dir(as.file(d, "x")))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), filepath.Ext(as.file(d, "x")))
			if kind != "workflows" { // whose names need no escape
				name, err = url.PathUnescape(name)
			}
			if !ok || err != nil || filepath.Base(as.file(d, name)) != e.Name() {
				continue // a log beside it, or nobody's file
			}
			list = append(list, storeFile{kind: kind, unique: as.unique, path: as.file(d, name), name: name,
				id: durableobject.IDFromName(as.unique, name).String()})
		}
	}
	slices.SortFunc(list, func(a, b storeFile) int { return strings.Compare(a.path, b.path) })
	return list, nil
}

// files are all files of the store.
func (f storeFile) files(d statedir.Dir) (list []string, err error) {
	for _, path := range []string{f.path, f.path + "-wal"} {
		if _, err := os.Stat(path); err == nil {
			list = append(list, path)
		}
	}
	if _, one := named[f.kind]; one || f.name == "" {
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
	if f.kind == pipelines {
		return importRecords(shard, f, filepath.Join(tmp, "records"))
	}
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
	if kind == pipelines {
		return exportRecords(o, to.Pipeline(o.Name))
	}
	if as, one := named[kind]; one && filepath.Dir(as.file(to, o.Name)) == filepath.Dir(as.file(to, "x")) {
		path := as.file(to, o.Name)
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
