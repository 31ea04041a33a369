package storage_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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

// A damaged file hurts its own object only, and the error names it.
func TestCorruptFile(t *testing.T) {
	dir := t.TempDir()
	for name, damage := range map[string]func(path string) error{
		"garbage": func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("garbage ", 4000)), 0o644)
		},
		"page overwritten": func(path string) error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteAt([]byte(strings.Repeat("\xff", 4096*8)), 4096)
			return err
		},
		"cut short": func(path string) error { return os.Truncate(path, 4096) },
	} {
		ns, err := storage.OpenNamespace(filepath.Join(dir, name), storage.Options{})
		must(t, err)
		for i := range 2 {
			for k := range 200 {
				put(t, ns.Store(id(i)), fmt.Sprint("key", k))
			}
			must(t, ns.Store(id(i)).Commit())
		}
		must(t, ns.Close())
		path := filepath.Join(dir, name, id(0)+".sqlite")
		must(t, damage(path))
		ns, err = storage.OpenNamespace(filepath.Join(dir, name), storage.Options{})
		must(t, err)
		_, err = ns.Store(id(0)).List(storage.ListOptions{})
		var broken *storage.BrokenError
		if !errors.As(err, &broken) || !sqlite.Corrupt(err) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if err := ns.Store(id(0)).Put("k", nil); !errors.As(err, &broken) {
			t.Errorf("%s: put: %v", name, err)
		}
		if got := strings.Fields(keys(t, ns.Store(id(1)), storage.ListOptions{})); len(got) != 200 {
			t.Errorf("%s: the other object has %d keys", name, len(got))
		}
		must(t, ns.Close())
	}
}

// A full disk is an error of its own kind; nothing of the turn is kept.
func TestDiskFull(t *testing.T) {
	ns := namespace(t, storage.Options{})
	s := ns.Store(objectID)
	put(t, s, "before")
	must(t, s.Commit())
	var f sqlite.Faults
	s.Inject(&f)
	put(t, s, "during")
	f.SetFull(true)
	err := s.Put("more", nil)
	var se *sqlite.Error
	if !sqlite.Full(err) || !errors.As(err, &se) || se.Path != s.Path() || err.Error() != "database or disk is full: SQLITE_FULL" {
		t.Errorf("error = %v", err)
	}
	f.SetFull(false)
	must(t, s.Rollback())
	if got := keys(t, s, storage.ListOptions{}); got != "before" {
		t.Errorf("left %q", got)
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
