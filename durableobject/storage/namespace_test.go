package storage_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"eddy/durableobject/storage"
	"eddy/runtime/sqlite"
)

func id(n int) string { return fmt.Sprintf("%064x", n) }

// Few files are open at a time, and no Store notices.
func TestOpenFilesAreBounded(t *testing.T) {
	ns := namespace(t, storage.Options{OpenFiles: 3})
	for round := range 3 {
		for i := range 20 {
			s := ns.Store(id(i))
			put(t, s, fmt.Sprint("k", round))
			must(t, s.Commit())
		}
	}
	for i := range 20 {
		if got := keys(t, ns.Store(id(i)), storage.ListOptions{}); got != "k0 k1 k2" {
			t.Errorf("object %d has %q", i, got)
		}
	}
	if n := ns.OpenFiles(); n != 3 {
		t.Errorf("%d files are open", n)
	}
}

func TestObjects(t *testing.T) {
	ns := namespace(t, storage.Options{})
	if list, err := ns.Objects(); len(list) != 0 || err != nil {
		t.Errorf("before anything: %v %v", list, err)
	}
	a, b := ns.Store(id(1)), ns.Store(id(2))
	a.SetName("first")
	put(t, a, "k")
	put(t, b, "k")
	put(t, ns.Store(id(1)+".1"), "k") // a facet is no object of its own
	ns.Store(id(3)).SetName("never written")
	for _, s := range []string{id(1), id(2), id(1) + ".1"} {
		must(t, ns.Store(s).Commit())
	}
	list, err := ns.Objects()
	must(t, err)
	if len(list) != 2 || list[0].ID != id(1) || list[0].Name != "first" || list[1].ID != id(2) || list[1].Name != "" {
		t.Errorf("got %+v", list)
	}
	if ns.Store(id(1)) != a {
		t.Error("a second Store for one id")
	}
	a.Close()
	if ns.Store(id(1)) == a {
		t.Error("a closed Store was handed out")
	}
	if _, _, err := a.Get("k"); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("closed Store: %v", err)
	}
}

// A directory that cannot be created or read is an error with its name.
func TestUnusableDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o644))
	ns, err := storage.OpenNamespace(filepath.Join(file, "do"), storage.Options{})
	if err != nil {
		if !strings.Contains(err.Error(), file) {
			t.Errorf("open: %v", err)
		}
		return
	}
	if err := ns.Store(objectID).Put("k", nil); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("put: %v", err)
	}
}

// A Store that was never used costs little; ten thousand are nothing special.
func TestManyStores(t *testing.T) {
	ns := namespace(t, storage.Options{})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 10_000 {
		s := ns.Store(id(i))
		if _, ok, err := s.Get("k"); ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if per := (after.HeapAlloc - before.HeapAlloc) / 10_000; per > 2000 {
		t.Errorf("%d bytes for each idle Store", per)
	}
	if n := ns.OpenFiles(); n != 0 {
		t.Errorf("%d files are open", n)
	}
}

// An endless query ends when another goroutine says so. A turn that only read goes on; one that wrote is lost, and the
// Store with it. A list of keys ends, too.
func TestStop(t *testing.T) {
	for _, c := range []struct {
		query string
		broke bool
	}{
		{"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT n FROM c", false},
		{"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) INSERT INTO t SELECT n FROM c", true},
	} {
		var stop atomic.Bool
		s := store(t, storage.Options{Stop: &stop})
		for i := range 1000 {
			put(t, s, fmt.Sprint("k", i))
		}
		must(t, exec(s, "CREATE TABLE t(n)"))
		must(t, s.Commit())
		if c.broke {
			must(t, exec(s, "INSERT INTO t VALUES (0)"))
		}
		go stop.Store(true)
		cur, err := s.Exec(c.query)
		for err == nil {
			_, _, err = cur.Next()
		}
		if !sqlite.Interrupted(err) {
			t.Errorf("%s: %v", c.query, err)
		}
		if broken := s.Broken() != nil; broken != c.broke {
			t.Errorf("%s: broken: %v", c.query, s.Broken())
		}
		if _, err := s.List(storage.ListOptions{}); !sqlite.Interrupted(err) {
			t.Errorf("list: %v", err)
		}
	}
}

// A long log is copied into the database without the loop's doing.
func TestCheckpoint(t *testing.T) {
	ns := namespace(t, storage.Options{})
	s := ns.Store(objectID)
	must(t, s.Put("first", nil))
	must(t, s.Commit())
	longest, last := int64(0), int64(0)
	for i := range 600 {
		must(t, s.Put(fmt.Sprint("k", i%10), make([]byte, 60_000)))
		must(t, s.Commit())
		st, err := os.Stat(s.Path() + "-wal")
		must(t, err)
		longest, last = max(longest, st.Size()), st.Size()
		ns.Settle()
	}
	if longest > 16<<20 || last < 1 {
		t.Errorf("the log grew to %d bytes", longest)
	}
	if v, ok, err := s.Get("k9"); !ok || len(v) != 60_000 || err != nil {
		t.Error(ok, len(v), err)
	}
}

// FuzzExec: no text makes Exec panic, or lets it touch what is the platform's.
func FuzzExec(f *testing.F) {
	for _, q := range []string{"SELECT 1", "CREATE TABLE t(a); INSERT INTO t VALUES(1); SELECT * FROM t",
		"DROP TABLE _cf_KV", "SELECT * FROM \"_cf_KV\"",
		"CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM _cf_KV; END", "PRAGMA writable_schema=1",
		"ALTER TABLE t RENAME TO _cf_x", "UPDATE sqlite_master SET sql=''",
		"WITH a AS (SELECT * FROM main._cf_KV) SELECT * FROM a", "BEGIN", "ATTACH 'x' AS y", ";;", "SELECT ?1, ?5",
		"VACUUM INTO 'x'"} {
		f.Add(q)
	}
	ns, err := storage.OpenNamespace(f.TempDir(), storage.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { ns.Close() })
	s := ns.Store(objectID)
	put(f, s, "secret")
	must(f, s.Commit())
	f.Fuzz(func(t *testing.T, query string) {
		if c, err := s.Exec(query); err == nil {
			for range 100 {
				row, more, err := c.Next()
				if err != nil || !more {
					break
				}
				for _, v := range row {
					if text, ok := v.(string); ok && text == "=secret" {
						t.Fatalf("%q read a value of the platform", query)
					}
				}
			}
			c.Close()
		}
		must(t, s.Rollback())
		if v, ok, err := s.Get("secret"); string(v) != "=secret" || !ok || err != nil {
			t.Fatalf("%q: the key is %q %v %v", query, v, ok, err)
		}
	})
}
