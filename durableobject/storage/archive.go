package storage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"eddy/runtime/sqlite"
)

// Whole is the database of an object or of a facet as one file without a log.
type Whole struct {
	ID, Name string
	// Alarm is zero for none.
	Alarm time.Time
	Path  string
}

// Wholes makes one file of each database in a namespace's folder, which nobody else has: what the logs hold is copied
// into them. Facets come behind the objects.
func Wholes(dir string) (list []Whole, err error) {
	ns, err := OpenNamespace(dir, Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ns.Close()) }()
	infos, err := ns.Objects()
	if err != nil {
		return nil, err
	}
	alarms, err := ns.Alarms()
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, a := range alarms {
		names[a.ID] = a.Name
	}
	for _, info := range infos {
		w := Whole{ID: info.ID, Name: info.Name, Path: ObjectFile(dir, info.ID)}
		s := ns.Store(info.ID)
		w.Alarm, err = s.Alarm()
		s.Close()
		ns.work.settle(w.Path)
		if err == nil {
			err = fold(w.Path)
		}
		if w.Name == "" {
			w.Name = names[info.ID]
		}
		if err == nil && w.Name == "" {
			w.Name, err = RecordedName(w.Path)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	facets, err := filepath.Glob(ObjectFile(dir, "*.*"))
	if err != nil {
		return nil, err
	}
	for _, path := range facets {
		if err := fold(path); err != nil {
			return nil, err
		}
		list = append(list, Whole{ID: strings.TrimSuffix(filepath.Base(path), objectSuffix), Path: path})
	}
	return list, nil
}

// fold copies the log that lies beside a database into it.
func fold(path string) error {
	db, err := sqlite.Open(path, sqlite.Options{Existing: true, Repair: true})
	if err != nil {
		return err
	}
	folded, err := db.Fold()
	if err == nil && !folded {
		err = fmt.Errorf("%s: another process reads it", path)
	}
	return errors.Join(err, db.Close())
}

// Settle makes a folder of databases, some with a log, a namespace's: without logs, with an index of alarms and names.
// names has what objects are called, by id.
func Settle(dir string, names map[string]string) (err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == objectSuffix {
			if err := fold(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	ix, err := openIndex(filepath.Join(dir, indexFile), Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.close()) }()
	for id, name := range names {
		if name != "" {
			err = errors.Join(err, ix.name(id, name))
		}
	}
	return err
}
