package sqlite_test

import (
	"fmt"
	"strings"
	"testing"

	"eddy/runtime/sqlite"
)

// SQL15: rows read and written.
func TestRowCounts(t *testing.T) {
	db := open(t, sqlite.Options{})
	count := func(sql string) string {
		t.Helper()
		s, _, err := db.Prepare(sql, sqlite.Regulated)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		defer s.Close()
		var reads []string
		for more := true; more; {
			if more, err = s.Step(); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			if more {
				reads = append(reads, fmt.Sprint(s.RowsRead()))
			}
		}
		return fmt.Sprintf("%s %d/%d", strings.Join(reads, ","), s.RowsRead(), s.RowsWritten())
	}
	for _, tc := range [][2]string{
		{"CREATE TABLE t(a INTEGER PRIMARY KEY, b)", " 1/2"},
		{"INSERT INTO t VALUES(1,1),(2,2),(3,3)", " 3/3"}, // each id is looked up
		{"INSERT INTO t(b) VALUES(4)", " 0/1"},
		{"DELETE FROM t WHERE a = 4", " 1/1"},
		{"SELECT * FROM t ORDER BY b", "4,5,6 6/0"},
		{"SELECT * FROM t", "1,2,3 3/0"},
		{"SELECT count(*) FROM t", "3 3/0"},
		{"SELECT * FROM t WHERE a = 2", "1 1/0"},
		{"UPDATE t SET b = b + 1", " 3/3"},
		{"CREATE TABLE u(a PRIMARY KEY, b UNIQUE, c)", " 1/4"},
		{"INSERT INTO u VALUES(1,1,1),(2,2,2)", " 0/6"},
		{"DELETE FROM u", " 0/2"},
		{"DELETE FROM t WHERE a > 1", " 2/2"},
		{"CREATE TABLE w(a)", " 1/2"},
		{"INSERT INTO w VALUES(1),(2),(3)", " 0/3"},
		{"CREATE INDEX i ON w(a)", " 8/4"},
	} {
		if got := count(tc[0]); got != tc[1] {
			t.Errorf("%s: got %q, want %q", tc[0], got, tc[1])
		}
	}
}
