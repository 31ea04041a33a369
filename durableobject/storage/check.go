package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"eddy/durableobject/storage/history"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
)

// Damage is an object's file that is not as the object left it.
type Damage struct {
	// Namespace is the unique key, ID the object's id, for a facet with a dot and its number.
	Namespace, ID string
	// Path is the file.
	Path string
	// Err says what is wrong with it.
	Err error
	// Repairable says that the object's history holds what the file was when it was closed.
	Repairable bool

	past history.File
}

// Check reads every object of a state directory. It compares each file with the digest in its history, and runs
// SQLite's own check. No session may have the directory. Check changes nothing, except that it copies what a crash left
// in a log into the log's file, as the next use of the object would.
func Check(dir statedir.Dir) (list []Damage, err error) {
	namespaces, err := os.ReadDir(dir.Objects())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("check objects: %w", err)
	}
	for _, ns := range namespaces {
		if !ns.IsDir() {
			continue
		}
		files, err := os.ReadDir(dir.Namespace(ns.Name()))
		if err != nil {
			return list, fmt.Errorf("check objects: %w", err)
		}
		for _, e := range files {
			id, ok := strings.CutSuffix(e.Name(), objectSuffix)
			if !ok || e.Name() == indexFile {
				continue
			}
			d := Damage{Namespace: ns.Name(), ID: id, Path: ObjectFile(dir.Namespace(ns.Name()), id)}
			d.past = history.File{Path: filepath.Join(dir.History(ns.Name()), id+historySuffix), DB: d.Path,
				Empty: emptyPage}
			if d.Err = d.check(); d.Err != nil {
				d.Repairable = d.past.Repairs()
				list = append(list, d)
			}
		}
	}
	return list, nil
}

func (d *Damage) check() error {
	if !hasLog(d.Path) {
		if err := d.past.Verify(); err != nil {
			return err
		}
	}
	db, err := sqlite.Open(d.Path, sqlite.Options{Existing: true, Repair: true, AutoCheckpoint: -1, KeepLog: true})
	if err != nil {
		return err
	}
	return errors.Join(db.Check(), db.Close())
}

// Repair replaces a damaged file by what it was when it was closed. kept is the path to which it has moved the damaged
// file.
func (d *Damage) Repair() (kept string, err error) {
	if !d.Repairable {
		return "", fmt.Errorf("object file %s: there is no history of what it was", d.Path)
	}
	fresh := d.Path + restoreSuffix
	if err := d.past.Last(fresh); err != nil {
		return "", err
	}
	if kept, err = putAside(d.Path); err == nil {
		err = os.Rename(fresh, d.Path)
	}
	if err != nil {
		return kept, fmt.Errorf("repair object file %s: %w", d.Path, err)
	}
	return kept, syncFileAt(filepath.Dir(d.Path), os.O_RDONLY)
}
