package storage_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"eddy/durableobject/storage"
	"eddy/runtime/sqlite"
)

// exec runs SQL and discards the rows.
func exec(s *storage.Store, query string, args ...any) error {
	c, err := s.Exec(query, args...)
	if err != nil {
		return err
	}
	c.Close()
	return nil
}

// rows renders the rows of a query, cells by comma, rows by semicolon.
func rows(t testing.TB, s *storage.Store, query string, args ...any) string {
	t.Helper()
	c, err := s.Exec(query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return rest(t, c)
}

func rest(t testing.TB, c *storage.Cursor) string {
	t.Helper()
	var out []string
	for {
		row, more, err := c.Next()
		must(t, err)
		if !more {
			return strings.Join(out, ";")
		}
		var cells []string
		for _, v := range row {
			cells = append(cells, fmt.Sprint(v))
		}
		out = append(out, strings.Join(cells, ","))
	}
}

// SQL5, SQL6: numbers go in as REAL and come out as float64.
func TestSQLValues(t *testing.T) {
	s := store(t, storage.Options{})
	for _, tc := range []struct {
		query string
		args  []any
		want  string
	}{
		{"SELECT typeof(?1), json_array(?1), ?1 || '', ?1 / 2", []any{5.0}, "real,[5.0],5.0,2.5"},
		{"SELECT ?, ?, ?", []any{nil, "é\x00", []byte{1, 2}}, "<nil>,é\x00,[1 2]"},
		{"SELECT ?", []any{math.NaN()}, "<nil>"},
		{"SELECT ?", []any{math.Inf(1)}, "+Inf"},
		{"SELECT 1e400, 9007199254740993, 2+3", nil, "+Inf,9.007199254740992e+15,5"},
		{"SELECT typeof(?)", []any{[]byte{}}, "blob"},
		{"SELECT ?1 + ?1, :a, @a, $a", []any{1.0, "x", "y", "z"}, "2,x,y,z"},
	} {
		if got := rows(t, s, tc.query, tc.args...); got != tc.want {
			t.Errorf("%s\n got %s\nwant %s", tc.query, got, tc.want)
		}
	}
	must(t, exec(s, "CREATE TABLE t(i INTEGER, x TEXT)"))
	must(t, exec(s, "INSERT INTO t VALUES(?, ?)", 5.0, 5.0))
	if got := rows(t, s, "SELECT typeof(i), i, typeof(x), x FROM t"); got != "integer,5,text,5.0" {
		t.Errorf("affinity: %s", got)
	}
	must(t, s.Commit())
}

// SQL2: rows stream; what is left after a partial walk; names after the end.
func TestCursor(t *testing.T) {
	s := store(t, storage.Options{})
	c, err := s.Exec("SELECT 1 AS a, 2 AS a UNION ALL SELECT 3, 4")
	must(t, err)
	if _, more, err := c.Next(); !more || err != nil {
		t.Fatal(more, err)
	}
	if got := rest(t, c); got != "3,4" {
		t.Errorf("the rest is %s", got)
	}
	if got := rest(t, c); got != "" {
		t.Errorf("after the end: %s", got)
	}
	if got := fmt.Sprint(c.Columns()); got != "[a a]" {
		t.Errorf("columns %s", got)
	}
	c, err = s.Exec("SELECT 2+3 WHERE 0")
	must(t, err)
	if got := fmt.Sprint(c.Columns()); got != "[2+3]" {
		t.Errorf("columns without rows %s", got)
	}
}

// SQL7, SQL8: several statements, parameters, nothing to run.
func TestStatements(t *testing.T) {
	s := store(t, storage.Options{})
	if got := rows(t, s, "CREATE TABLE t(a); INSERT INTO t VALUES(1); INSERT INTO t VALUES(2); SELECT a, ? FROM t "+
		"ORDER BY a;  \n", "x"); got != "1,x;2,x" {
		t.Errorf("got %s", got)
	}
	for query, want := range map[string]error{
		"":                                   storage.ErrNoStatement,
		"-- nothing":                         storage.ErrNoStatement,
		";":                                  storage.ErrNoStatement,
		"SELECT 1; -- end":                   storage.ErrNoStatement,
		"SELECT 1;;":                         storage.ErrNoStatement,
		"SELECT ?; SELECT 1":                 storage.ErrManyParameters,
		"SELECT ?":                           storage.ErrBindings,
		"INSERT INTO t VALUES(?, ?)":         nil,
		"INSERT INTO t VALUES(3); SELECT zz": nil,
	} {
		err := exec(s, query)
		if err == nil || (want != nil && !errors.Is(err, want)) {
			t.Errorf("%q: %v, want %v", query, err, want)
		}
	}
	if err := exec(s, "SELECT 1", 1.0); !errors.Is(err, storage.ErrBindings) {
		t.Errorf("too many values: %v", err)
	}
	if got := rows(t, s, "SELECT count(*) FROM t"); got != "3" {
		t.Errorf("an error in a later statement undid an earlier one: %s rows", got)
	}
	must(t, s.Commit())
}

// SQL11: the platform's tables are out of reach; SQL12: so is most of PRAGMA;
// VACUUM finds itself in a transaction.
func TestForbidden(t *testing.T) {
	s := store(t, storage.Options{})
	put(t, s, "k")
	for query, want := range map[string]string{
		"SELECT key FROM _cf_KV": "access to _cf_KV.key is prohibited: SQLITE_AUTH",
		"DELETE FROM _cf_KV":     "not authorized: SQLITE_AUTH",
		"VACUUM":                 "cannot VACUUM from within a transaction: SQLITE_ERROR",
		"PRAGMA page_count":      "not authorized: SQLITE_AUTH",
		"BEGIN":                  sqlite.TransactionRefusal,
	} {
		if err := exec(s, query); err == nil || err.Error() != want {
			t.Errorf("%s: %v", query, err)
		}
	}
	must(t, s.Commit())
}

// SQL16: schema changes under a kept statement, DROP under an open cursor, two
// cursors of one text.
func TestCursorsAndSchema(t *testing.T) {
	s := store(t, storage.Options{})
	must(t, exec(s, "CREATE TABLE t(a); INSERT INTO t VALUES(1),(2)"))
	const all = "SELECT * FROM t"
	if got := rows(t, s, all); got != "1;2" {
		t.Fatal(got)
	}
	must(t, exec(s, "ALTER TABLE t ADD COLUMN b DEFAULT 9"))
	c, err := s.Exec(all)
	must(t, err)
	if got := fmt.Sprint(c.Columns()) + rest(t, c); got != "[a b]1,9;2,9" {
		t.Errorf("after ADD COLUMN: %s", got)
	}
	one, err := s.Exec(all)
	must(t, err)
	two, err := s.Exec(all)
	must(t, err)
	if _, _, err := one.Next(); err != nil {
		t.Fatal(err)
	}
	if got := rest(t, two); got != "1,9;2,9" {
		t.Errorf("second cursor: %s", got)
	}
	ended, err := s.Exec("SELECT a FROM t LIMIT 1")
	must(t, err)
	if _, more, err := ended.Next(); !more || err != nil { // the last row ends the query
		t.Fatal(more, err)
	}
	if err := exec(s, "DROP TABLE t"); err == nil || err.Error() != "database table is locked: SQLITE_LOCKED" {
		t.Errorf("DROP under a cursor: %v", err)
	}
	if got := rest(t, one); got != "2,9" {
		t.Errorf("first cursor: %s", got)
	}
	must(t, exec(s, "DROP TABLE t"))
	must(t, s.Commit())
}

// A cursor survives the end of the turn (SQL16).
func TestCursorAcrossCommit(t *testing.T) {
	s := store(t, storage.Options{})
	must(t, exec(s, "CREATE TABLE t(a); INSERT INTO t VALUES(1),(2),(3)"))
	c, err := s.Exec("SELECT a FROM t")
	must(t, err)
	must(t, s.Commit())
	s.Release() // has no effect while the cursor is open
	put(t, s, "k")
	must(t, s.Commit())
	if got := rest(t, c); got != "1;2;3" {
		t.Errorf("got %s", got)
	}
}

func TestSize(t *testing.T) {
	s := store(t, storage.Options{})
	if n, err := s.Size(); n != 4096 || err != nil {
		t.Errorf("empty (SQL15): %d %v", n, err)
	}
	must(t, s.Put("k", make([]byte, 100_000)))
	must(t, s.Commit())
	if n, err := s.Size(); n < 100_000 || n > 120_000 || n%4096 != 0 || err != nil {
		t.Errorf("full: %d %v", n, err)
	}
	must(t, s.DeleteAll(false))
	if n, err := s.Size(); n != 4096 || err != nil {
		t.Errorf("deleted: %d %v", n, err)
	}
}

func TestRowsReadAndWritten(t *testing.T) {
	s := store(t, storage.Options{})
	c, err := s.Exec("CREATE TABLE t(a)")
	must(t, err)
	if c.RowsRead() != 1 || c.RowsWritten() != 2 {
		t.Errorf("CREATE TABLE (SQL15): %d/%d", c.RowsRead(), c.RowsWritten())
	}
	c, err = s.Exec("INSERT INTO t VALUES(1),(2),(3)")
	must(t, err)
	if c.RowsRead() != 0 || c.RowsWritten() != 3 {
		t.Errorf("INSERT: %d/%d", c.RowsRead(), c.RowsWritten())
	}
	for range 2 { // the second time the statement comes from the cache
		c, err = s.Exec("SELECT * FROM t")
		must(t, err)
		for want := int64(1); want <= 3; want++ {
			if c.RowsRead() != want {
				t.Errorf("before row %d: %d read", want, c.RowsRead())
			}
			if _, more, err := c.Next(); !more || err != nil {
				t.Error(more, err)
			}
		}
		_ = rest(t, c)
		if c.RowsRead() != 3 {
			t.Errorf("at the end: %d read", c.RowsRead())
		}
	}
	must(t, s.Commit())
}
