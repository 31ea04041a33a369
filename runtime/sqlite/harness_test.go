package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"eddy/runtime/sqlite"
)

func open(t testing.TB, o sqlite.Options) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(filepath.Join(t.TempDir(), "dir", "a.sqlite"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// query runs one regulated statement and renders its rows.
func query(db *sqlite.DB, sql string, args ...any) (string, error) {
	s, _, err := db.Prepare(sql, sqlite.Regulated)
	if err != nil {
		return "", err
	}
	if s == nil {
		return "", errors.New("no statement")
	}
	defer s.Close()
	for i, a := range args {
		if err := s.Bind(i+1, a); err != nil {
			return "", err
		}
	}
	var rows []string
	for {
		more, err := s.Step()
		if err != nil {
			return strings.Join(rows, ";"), err
		}
		if !more {
			return strings.Join(rows, ";"), nil
		}
		var cells []string
		for i := range s.Columns() {
			cells = append(cells, fmt.Sprintf("%v", s.Value(i)))
		}
		rows = append(rows, strings.Join(cells, ","))
	}
}

func mustQuery(t testing.TB, db *sqlite.DB, sql string, args ...any) string {
	t.Helper()
	out, err := query(db, sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}
