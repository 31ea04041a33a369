package sqlite

import (
	"fmt"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// committed is SQLite's callback after a commit to the WAL.
func committed(_ *libc.TLS, _, conn, _ uintptr, frames int32) int32 {
	if v, ok := authorizers.Load(conn); ok {
		db := v.(*DB)
		db.logFrames = uint32(frames)
		db.logCommits++
	}
	return lib.SQLITE_OK
}

// LogFrames is the number of pages in the WAL after the last commit that this
// connection made, 0 if it made none. It is known only without automatic
// checkpoints.
func (db *DB) LogFrames() uint32 { return db.logFrames }

// LogCommits is how many commits of this connection wrote to the WAL.
func (db *DB) LogCommits() uint64 { return db.logCommits }

// EmptyPage is the only page of a database without tables, as Open creates it.
func EmptyPage() []byte { return emptyDatabase() }

// CopyFrom replaces everything in the database, in one transaction, by what the
// database in the file at path holds.
func (db *DB) CopyFrom(path string) error {
	from, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer from.Close()
	if err := db.grow(16); err != nil {
		return err
	}
	db.poke(db.scratch, "main")
	backup := lib.Xsqlite3_backup_init(db.tls, db.conn, db.scratch, from.conn, db.scratch)
	if backup == 0 {
		return fmt.Errorf("copy %s to database %s: %w", path, db.path, db.err(lib.Xsqlite3_errcode(db.tls, db.conn)))
	}
	rc := lib.Xsqlite3_backup_step(db.tls, backup, -1)
	if end := lib.Xsqlite3_backup_finish(db.tls, backup); rc == lib.SQLITE_DONE {
		rc = end
	}
	if rc != lib.SQLITE_OK {
		return fmt.Errorf("copy %s to database %s: %w", path, db.path, db.err(rc))
	}
	return nil
}
