package sqlite_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"eddy/runtime/sqlite"
)

// What a broken disk does to statements, to commits and to new files.
func TestFaults(t *testing.T) {
	var f sqlite.Faults
	db := open(t, sqlite.Options{Faults: &f})
	mustQuery(t, db, "CREATE TABLE t(a)")
	mustQuery(t, db, "INSERT INTO t VALUES(1)")
	const full = "database or disk is full: SQLITE_FULL"
	f.SetFull(true)
	if _, err := query(db, "INSERT INTO t VALUES(2)"); !sqlite.Full(err) || err.Error() != full {
		t.Errorf("full: %v", err)
	}
	mustQuery(t, db, "SELECT * FROM t")
	if _, err := sqlite.Open(filepath.Join(t.TempDir(), "new.sqlite"), sqlite.Options{Faults: &f}); !errors.Is(
		err, syscall.ENOSPC) {
		t.Errorf("new file on a full disk: %v", err)
	}
	f.FullAfter(3 * 4120)
	if err := db.Exec("BEGIN; INSERT INTO t VALUES(zeroblob(60000)); COMMIT"); !sqlite.Full(err) {
		t.Errorf("full while committing: %v", err)
	}
	f.SetFull(false)
	if db.InTransaction() {
		if err := db.Exec("ROLLBACK"); err != nil {
			t.Error(err)
		}
	}
	if got, err := query(db, "SELECT count(*) FROM t"); got != "1" || err != nil {
		t.Errorf("after a failed commit: %s %v", got, err)
	}
	f.SetBroken(true)
	if _, err := query(db, "INSERT INTO t VALUES(3)"); !sqlite.IO(err) {
		t.Errorf("broken: %v", err)
	}
	f.SetBroken(false)
	f.SetReadOnly(true)
	if _, err := sqlite.Open(db.Path(), sqlite.Options{Faults: &f}); !sqlite.ReadOnly(err) && !sqlite.CannotOpen(err) {
		t.Errorf("read-only: %v", err)
	}
	f.SetReadOnly(false)
	mustQuery(t, db, "INSERT INTO t VALUES(4)")
}
