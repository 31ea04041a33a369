package sqlite_test

import (
	"fmt"
	"testing"

	"eddy/runtime/sqlite"
)

// SQL16: two statements of one text at a time; a schema change in between.
func TestCache(t *testing.T) {
	db := open(t, sqlite.Options{})
	mustQuery(t, db, "CREATE TABLE t(a)")
	c := sqlite.NewCache(db, 100)
	prepare := func(sql string) *sqlite.Stmt {
		t.Helper()
		if s := c.Take(sql); s != nil {
			return s
		}
		s, _, err := db.Prepare(sql, sqlite.Regulated)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const sql = "SELECT * FROM t"
	first := prepare(sql)
	c.Give(sql, first)
	if again := prepare(sql); again != first {
		t.Error("an idle statement was compiled again")
	}
	second := prepare(sql)
	if second == first {
		t.Fatal("a busy statement was handed out twice")
	}
	c.Give(sql, second)
	c.Give(sql, first)
	if !second.Closed() || first.Closed() {
		t.Error("the cache kept the wrong statement")
	}
	mustQuery(t, db, "ALTER TABLE t ADD COLUMN b")
	s := prepare(sql)
	if _, err := s.Step(); err != nil || s.Columns() != 2 {
		t.Errorf("after a schema change: %d columns, %v", s.Columns(), err)
	}
	c.Give(sql, s)
	for i := range 20 {
		long := fmt.Sprintf("SELECT %d FROM t", i)
		c.Give(long, prepare(long))
	}
	if !first.Closed() {
		t.Error("the least recently used statement was not closed")
	}
}
