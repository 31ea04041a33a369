package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"eddy/runtime/sqlite"
)

// A new file is what SQLite would have written, in WAL mode, and a log that an
// earlier file of that name left behind is not taken for its own.
func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sqlite")
	if err := os.WriteFile(path+"-wal", []byte("left behind"), 0o644); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !db.Created() {
		t.Error("not created")
	}
	if got := mustTrusted(t, db, "PRAGMA journal_mode") + mustTrusted(t, db, "PRAGMA page_size") +
		mustTrusted(t, db, "PRAGMA integrity_check"); got != "wal4096ok" {
		t.Errorf("got %s", got)
	}
	mustQuery(t, db, "CREATE TABLE t(a); ")
	mustQuery(t, db, "INSERT INTO t VALUES('é')")
	if err := db.SyncFile(); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if err := db.SyncFile(); err != nil {
		t.Errorf("after closing: %v", err)
	}
	if db, err = sqlite.Open(path, sqlite.Options{}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := mustQuery(t, db, "SELECT a FROM t") + mustTrusted(t, db, "PRAGMA integrity_check"); got != "éok" ||
		db.Created() {
		t.Errorf("got %s, created %v", got, db.Created())
	}
}

// A loss of power may leave the log of a new file without its first page. The
// log is enough.
func TestRepair(t *testing.T) {
	for name, page := range map[string][]byte{"empty": nil, "zeros": make([]byte, 4096), "short": make([]byte, 512)} {
		dir := t.TempDir()
		path, copied := filepath.Join(dir, "a.sqlite"), filepath.Join(dir, "b.sqlite")
		db, err := sqlite.Open(path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mustQuery(t, db, "CREATE TABLE t(a)")
		mustQuery(t, db, "INSERT INTO t VALUES(7)")
		log, err := os.ReadFile(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		db.Close()
		for file, content := range map[string][]byte{copied: page, copied + "-wal": log} {
			if err := os.WriteFile(file, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if db, err = sqlite.Open(copied, sqlite.Options{Existing: true, Repair: true}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := query(db, "SELECT a FROM t"); got != "7" || err != nil {
			t.Errorf("%s: %q %v", name, got, err)
		}
		db.Close()
	}
}

// mustTrusted is the single value of a trusted query.
func mustTrusted(t *testing.T, db *sqlite.DB, sql string) string {
	t.Helper()
	s, _, err := db.Prepare(sql, sqlite.Trusted)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Step(); err != nil {
		t.Fatal(err)
	}
	return s.Text(0)
}
