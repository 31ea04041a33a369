package sqlite_test

import (
	"strings"
	"testing"

	"eddy/runtime/sqlite"
)

func TestValues(t *testing.T) {
	db := open(t, sqlite.Options{})
	got := mustQuery(t, db, "SELECT ?, ?, ?, ?, ?, typeof(?5), length(?4)", nil, int64(1)<<62, 1.5, "é\x00x", []byte{})
	if got != "<nil>,4611686018427387904,1.5,é\x00x,[],blob,1" {
		t.Errorf("got %q", got)
	}
	if got := mustQuery(t, db, "SELECT typeof(?), typeof(?)", 5.0, strings.Repeat("x", 100_000)); got != "real,text" {
		t.Errorf("got %q", got)
	}
	if got := mustQuery(t, db, "SELECT CAST(x'61ff62' AS TEXT)"); got != "a\uFFFDb" {
		t.Errorf("invalid UTF-8 came as %q (SQL5)", got)
	}
	if got := mustQuery(t, db, "PRAGMA foreign_keys"); got != "1" {
		t.Errorf("foreign_keys = %s (SQL12)", got)
	}
}

func BenchmarkInsert(b *testing.B) {
	db := open(b, sqlite.Options{})
	mustQuery(b, db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
	s, _, err := db.Prepare("INSERT INTO t(b) VALUES(?)", sqlite.Regulated)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.BindText(1, "hello"); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Step(); err != nil {
			b.Fatal(err)
		}
		s.Reset()
	}
}
