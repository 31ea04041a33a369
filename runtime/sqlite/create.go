package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	lib "modernc.org/sqlite/lib"
)

// pageSize is that of every database here, as on the platform.
const pageSize = 4096

// emptyDatabase is the only page of a database without tables, in WAL mode, as
// SQLite itself would write it (SQLite file format, section 1.3). Writing it
// in one piece spares a new file the journal and three syncs that switching to
// WAL mode costs.
func emptyDatabase() []byte {
	p := make([]byte, pageSize)
	copy(p, "SQLite format 3\x00")
	binary.BigEndian.PutUint16(p[16:], pageSize)
	p[18], p[19] = 2, 2                                                   // written and read with a WAL
	p[21], p[22], p[23] = 64, 32, 32                                      // payload fractions, fixed by the format
	binary.BigEndian.PutUint32(p[24:], 1)                                 // change counter
	binary.BigEndian.PutUint32(p[28:], 1)                                 // pages
	binary.BigEndian.PutUint32(p[92:], 1)                                 // the counter for which the next is valid
	binary.BigEndian.PutUint32(p[96:], uint32(lib.SQLITE_VERSION_NUMBER)) // who wrote it
	p[100] = 0x0D                                                         // a table leaf without cells
	binary.BigEndian.PutUint16(p[105:], pageSize)                         // whose contents begin at the end
	return p
}

// create writes an empty database at path, unless there is a file. The file
// stays open for SyncFile: opening it again later and closing that would drop
// the locks that SQLite holds on it.
func (db *DB) create(faults *Faults) error {
	if err := os.MkdirAll(filepath.Dir(db.path), DirMode); err != nil {
		return err
	}
	f, err := os.OpenFile(db.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, FileMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// A log left behind by a file that was removed does not belong to this one.
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(db.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.Close()
			return err
		}
	}
	err = faults.Check(pageSize)
	if err == nil {
		_, err = f.Write(emptyDatabase())
	}
	if err != nil {
		f.Close()
		os.Remove(db.path)
		return err
	}
	db.created = f
	return nil
}

// Created reports whether Open made the file. Its first page is durable only
// after SyncFile or Close.
func (db *DB) Created() bool { return db.created != nil }

// SyncFile makes the first page of a file that Open made durable. It may be
// called from any goroutine, also after Close, which does the same.
func (db *DB) SyncFile() error {
	if db.created == nil {
		return nil
	}
	if err := db.created.Sync(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return fmt.Errorf("make database %s durable: %w", db.path, err)
	}
	return nil
}

// repair writes the first page of a file that lost it: after a loss of power a
// new file may be empty or all zeros although its log survived. The log then
// holds everything. Any other file is left alone.
func (db *DB) repair() error {
	st, err := os.Stat(db.path)
	if err != nil || st.Size() > pageSize {
		return err
	}
	page, err := os.ReadFile(db.path)
	if err != nil {
		return err
	}
	for _, b := range page {
		if b != 0 {
			return nil
		}
	}
	f, err := os.OpenFile(db.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if _, err := f.Write(emptyDatabase()); err != nil {
		f.Close()
		return err
	}
	db.created = f
	return nil
}
