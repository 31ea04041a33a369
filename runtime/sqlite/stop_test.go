package sqlite_test

import (
	"sync/atomic"
	"testing"

	"eddy/runtime/sqlite"
)

// An endless statement ends when another goroutine says so, whether it gives rows meanwhile or none; one that begins
// after that ends, too. The transaction can be rolled back, and the connection is good for more.
func TestStop(t *testing.T) {
	for _, c := range []struct {
		sql   string
		trust sqlite.Trust
	}{
		{"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT n FROM c", sqlite.Regulated},
		{"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT count(*) FROM c", sqlite.Regulated},
		{"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) INSERT INTO t SELECT n FROM c",
			sqlite.Regulated},
		{"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT count(*) FROM c", sqlite.Trusted},
	} {
		var stop atomic.Bool
		db := open(t, sqlite.Options{Stop: &stop})
		exec := func(sql string) {
			t.Helper()
			if err := db.Exec(sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
		exec("CREATE TABLE t(n)")
		run := func(started func()) error {
			s, _, err := db.Prepare(c.sql, c.trust)
			if err != nil {
				return err
			}
			defer s.Close()
			started()
			for err == nil {
				_, err = s.Step()
			}
			return err
		}
		exec("BEGIN")
		if err := run(func() { go stop.Store(true) }); !sqlite.Interrupted(err) {
			t.Errorf("%s: error = %v", c.sql, err)
		}
		if err := run(func() {}); !sqlite.Interrupted(err) {
			t.Errorf("%s: begun too late: error = %v", c.sql, err)
		}
		if db.InTransaction() {
			exec("ROLLBACK")
		}
		stop.Store(false)
		exec("INSERT INTO t VALUES (1)")
	}
}
