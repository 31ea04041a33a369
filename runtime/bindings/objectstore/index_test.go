package objectstore

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"eddy/runtime/sqlite"
)

func count(t *testing.T, x *Index) (n int64) {
	t.Helper()
	err := x.Read(func(q Execute) error {
		return q("SELECT count(*) FROM t", nil, func(st *sqlite.Stmt) { n = st.Int(0) })
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A write happens as a whole or not at all, and survives.
func TestWrite(t *testing.T) {
	o := IndexOptions{
		Path: filepath.Join(t.TempDir(), "a", "x.sqlite"), Schema: "CREATE TABLE IF NOT EXISTS t (v);",
		What: "test store"}
	x := NewIndex(o)
	insert := func(q Execute) error { return q("INSERT INTO t VALUES (?)", []any{int64(1)}, nil) }
	boom := errors.New("boom")
	if err := x.Write(func(q Execute) error { return errors.Join(insert(q), boom) }); !errors.Is(err, boom) {
		t.Errorf("error %v", err)
	}
	if n := count(t, x); n != 0 {
		t.Errorf("%d rows of a failed write", n)
	}
	if err := x.Write(insert); err != nil {
		t.Fatal(err)
	}
	if err := x.Write(func(q Execute) error { return q("NONSENSE", nil, nil) }); err == nil ||
		!strings.Contains(err.Error(), "test store "+o.Path) {
		t.Errorf("an error without the store's name and file: %v", err)
	}
	if err := errors.Join(x.Close(), x.Close()); err != nil {
		t.Fatal(err)
	}
	if err := x.Write(insert); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed index gave %v", err)
	}
	x = NewIndex(o)
	if n := count(t, x); n != 1 {
		t.Errorf("%d rows after opening again, want 1", n)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestBehind(t *testing.T) {
	keys := []string{"a", "a\x00", "ab", "a\U0010FFFF", "a\U0010FFFFz", Behind("a"), "b"}
	if !slices.IsSorted(keys) {
		t.Errorf("%q are not in order", keys)
	}
}

// The place is miniflare's: a file of testdata/state has this name.
func TestIndexPath(t *testing.T) {
	got := filepath.ToSlash(IndexPath("", "kv", "KVNamespaceObject", "shelf-kv"))
	if want := "v3/kv/miniflare-KVNamespaceObject/" +
		"994e060a60f8da83d814e092007a6421da6156a9057b9bf60dd131df36e2e293.sqlite"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The end of the session ends what runs, and what waits behind it.
func TestCloseEndsCalls(t *testing.T) {
	x := NewIndex(IndexOptions{Path: filepath.Join(t.TempDir(), "x.sqlite"), What: "test store"})
	began, ended := make(chan struct{}), make(chan error, 2)
	endless := func(q Execute) error {
		began <- struct{}{}
		return q("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT count(*) FROM c", nil, nil)
	}
	for range 2 {
		go func() { ended <- x.Write(endless) }()
	}
	<-began
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-ended; !errors.Is(err, ErrClosed) {
			t.Errorf("error %v", err)
		}
	}
}

// A file that was removed while it is open is noticed before a write is confirmed; the next call goes on with a new
// one.
func TestMovedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v3", "x.sqlite")
	x := NewIndex(IndexOptions{Path: path, Schema: "CREATE TABLE IF NOT EXISTS t (v);", What: "test store"})
	insert := func(q Execute) error { return q("INSERT INTO t VALUES (1)", nil, nil) }
	if err := x.Write(insert); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if err := x.Write(insert); !errors.Is(err, sqlite.ErrMoved) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if err := x.Write(insert); err != nil {
		t.Error(err)
	}
	if n := count(t, x); n != 1 {
		t.Errorf("%d rows in the new file, want 1", n)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}
