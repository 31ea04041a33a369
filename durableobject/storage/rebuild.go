package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"eddy/runtime/sqlite"
)

// mended runs an operation on the index, and once more after making the index
// again if it turned out to be damaged.
func (ix *index) mended(op func() error) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	err := op()
	if !sqlite.Corrupt(err) || ix.closed {
		return err
	}
	if err := ix.rebuildLocked(err); err != nil {
		return err
	}
	return op()
}

// rebuildLocked puts a damaged index aside and makes it again of the objects'
// own rows, which are the truth (KV17). Names that only the index knew are
// learnt again when the objects are called by them. ix.mu is held.
func (ix *index) rebuildLocked(cause error) error {
	if ix.db != nil {
		ix.forget()
	}
	aside, err := putAside(ix.path)
	if err != nil {
		return ix.wrap("put the damaged file aside", errors.Join(err, cause))
	}
	if err := ix.openLocked(false); err != nil {
		return err
	}
	return ix.fillLocked(fmt.Sprintf("was damaged (%v). It was kept as %s", cause, aside))
}

// objects are the files of the folder's objects; facets have no alarms.
func (ix *index) objects() (files []string) {
	entries, _ := os.ReadDir(filepath.Dir(ix.path)) // a folder that is not there has none
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), objectSuffix)
		if ok && e.Name() != indexFile && !strings.Contains(id, ".") {
			files = append(files, filepath.Join(filepath.Dir(ix.path), e.Name()))
		}
	}
	return files
}

// fillLocked writes into a new index what the objects' own rows say, and tells a person unless there was nothing. ix.mu
// is held.
func (ix *index) fillLocked(what string) error {
	found := 0
	var unread []string
	for _, file := range ix.objects() {
		id := strings.TrimSuffix(filepath.Base(file), objectSuffix)
		at, name, err := storedAlarm(file, ix.faults)
		if err != nil {
			unread = append(unread, id)
			continue
		}
		if name != "" {
			if err := ix.nameLocked(id, name); err != nil {
				return err
			}
		}
		if !at.IsZero() {
			if err := ix.setLocked(id, name, at); err != nil {
				return err
			}
			found++
		}
	}
	if ix.notify == nil || found == 0 && len(unread) == 0 && !strings.Contains(what, "damaged") {
		return nil // wrangler dev leaves objects without alarms like this
	}
	text := fmt.Sprintf("The alarm index %s %s. It was made again of the object files: %d alarms.", ix.path, what,
		found)
	if len(unread) > 0 {
		text += " Objects that could not be read, and whose alarms are missing: " + strings.Join(unread, ", ") + "."
	}
	ix.notify(text)
	return nil
}

// putAside renames a database and the files that belong to it, and returns the new name.
func putAside(path string) (string, error) {
	aside := path + ".damaged"
	for n := 2; ; n++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		}
		aside = fmt.Sprintf("%s.damaged-%d", path, n)
	}
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return aside, nil
}

// storedAlarm reads the alarm, and the name if it is there (CL15), from an
// object's file that no Store needs to have open.
func storedAlarm(path string, faults *sqlite.Faults) (at time.Time, name string, err error) {
	db, err := sqlite.Open(path, sqlite.Options{Existing: true, AutoCheckpoint: -1, KeepLog: true, Faults: faults})
	if err != nil {
		return at, "", err
	}
	defer db.Close()
	read := func(table, query string, row func(*sqlite.Stmt)) error {
		for _, sql := range []string{"SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '" + table + "'",
			query} {
			s, _, err := db.Prepare(sql, sqlite.Trusted)
			if err != nil {
				return err
			}
			more, err := s.Step()
			if more && sql == query {
				row(s)
			}
			s.Close()
			if err != nil || !more {
				return err
			}
		}
		return nil
	}
	err = errors.Join(
		read("_cf_METADATA", "SELECT value FROM _cf_METADATA WHERE key = 1 AND value IS NOT NULL",
			func(s *sqlite.Stmt) { at = time.Unix(0, s.Int(0)) }),
		read("__miniflare_do_name", "SELECT name FROM __miniflare_do_name", func(s *sqlite.Stmt) { name = s.Text(0) }),
	)
	return at, name, err
}
