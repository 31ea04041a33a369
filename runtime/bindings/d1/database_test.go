package d1

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"eddy/runtime/clock"
)

func open(t testing.TB, path string) *Database {
	t.Helper()
	d := New(Options{Path: path, Clock: clock.NewVirtual(time.Unix(1_775_000_000, 0), 1)})
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func run(t testing.TB, d *Database, sql string, params ...any) Result {
	t.Helper()
	r, err := d.Run(0, []Statement{{sql, params}})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return r[0]
}

// A call is one transaction (D1-5).
func TestCallIsATransaction(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d1", "x.sqlite")
	d := open(t, path)
	run(t, d, "create table t (v unique)")
	_, err := d.Run(0, []Statement{{"insert into t values (1)", nil}, {"insert into t values (1)", nil}})
	if err == nil ||
		err.Error() != "UNIQUE constraint failed: t.v: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)" {
		t.Errorf("error %v", err)
	}
	if n := run(t, d, "select count(*) from t").Rows[0][0]; n != 0.0 {
		t.Errorf("%v rows after a failed call, want none", n)
	}
	run(t, d, "insert into t values (2)")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Run(0, []Statement{{"select 1", nil}}); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed database gave %v", err)
	}
	if v := run(t, open(t, path), "select v from t").Rows[0][0]; v != 2.0 {
		t.Errorf("after opening again the row is %v", v)
	}
}

// The figures of a result (D1-2).
func TestMeta(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "x.sqlite"))
	if m := run(t, d, "create table t (id integer primary key, v)").Meta; !m.ChangedDB || m.Changes != 0 {
		t.Errorf("create table: %+v", m)
	}
	if m := run(t, d, "insert into t (v) values (1), (2), (?)", "x").Meta; m.Changes != 3 || m.LastRowID != 3 ||
		m.RowsWritten != 3 || !m.ChangedDB {
		t.Errorf("insert: %+v", m)
	}
	if m := run(t, d, "insert or ignore into t (id) values (1)").Meta; m.Changes != 0 || m.ChangedDB {
		t.Errorf("insert or ignore: %+v", m)
	}
	if m := run(t, d, "select * from t").Meta; m.Changes != 0 || m.RowsRead != 3 || m.ChangedDB || m.SizeAfter == 0 {
		t.Errorf("select: %+v", m)
	}
}

// Calls from many goroutines do not mix.
func TestParallelCalls(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "x.sqlite"))
	run(t, d, "create table t (n)")
	run(t, d, "insert into t values (0)")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if _, err := d.Run(
					0, []Statement{{"update t set n = n + 1", nil}, {"select n from t", nil}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := run(t, d, "select n from t").Rows[0][0]; n != 160.0 {
		t.Errorf("n is %v, want 160", n)
	}
}

func BenchmarkSelect(b *testing.B) {
	d := open(b, filepath.Join(b.TempDir(), "x.sqlite"))
	run(b, d, "create table t (id integer primary key, v text)")
	run(b, d, "insert into t (v) values ('a')")
	b.ReportAllocs()
	for b.Loop() {
		run(b, d, "select * from t where id = ?", 1.0)
	}
}
