package storage_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eddy/durableobject/storage"
	"eddy/durableobject/storage/history"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
)

// atRest is a state directory with an object that holds a long text, closed.
func atRest(t *testing.T) (dir statedir.Dir, path string, reopen func() *storage.Namespace) {
	dir = statedir.Dir(t.TempDir())
	reopen = func() *storage.Namespace {
		ns, err := storage.OpenNamespace(dir.Namespace("w-C"), storage.Options{HistoryDir: dir.History("w-C")})
		must(t, err)
		return ns
	}
	ns := reopen()
	s := ns.Store(objectID)
	must(t, s.Put("k", []byte(strings.Repeat("a", 10_000))))
	must(t, s.Commit())
	must(t, ns.Close())
	return dir, s.Path(), reopen
}

func read(t *testing.T, ns *storage.Namespace) (string, error) {
	t.Helper()
	defer func() { must(t, ns.Close()) }()
	v, _, err := ns.Store(objectID).Get("k")
	return string(v), err
}

// flip changes one byte inside the value, as a disk does that keeps the file's time, or later than the folder.
func flip(t *testing.T, path string, at time.Time) {
	t.Helper()
	st, err := os.Stat(path)
	must(t, err)
	b, err := os.ReadFile(path)
	must(t, err)
	must(t, overwrite(path, int64(strings.LastIndex(string(b), "aaaa")), "b"))
	if at.IsZero() {
		at = st.ModTime()
	}
	must(t, os.Chtimes(path, at, at))
}

// A byte that changed in a closed object's file is noticed by the next use, which names the file and what to do, and by
// Check. Repair puts back what the object held and keeps the damaged file.
func TestSilentDamage(t *testing.T) {
	for name, at := range map[string]time.Time{"by the disk": {}, "by a program": time.Now().Add(time.Hour)} {
		t.Run(name, func(t *testing.T) {
			dir, path, reopen := atRest(t)
			if list, err := storage.Check(dir); err != nil || len(list) != 0 {
				t.Errorf("damage of a file that is whole: %v %v", list, err)
			}
			flip(t, path, at)
			var broken *storage.BrokenError
			_, err := read(t, reopen())
			if !errors.As(err, &broken) || !errors.Is(err, history.ErrChanged) ||
				!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(),
				filepath.Join(dir.History("w-C"), objectID+".history")) {
				t.Errorf("read: %v", err)
			}
			list, err := storage.Check(dir)
			if err != nil || len(list) != 1 || list[0].Path != path || !list[0].Repairable ||
				list[0].Namespace != "w-C" {
				t.Fatalf("check: %v %v", list, err)
			}
			// Without its history the file is taken as it is.
			past := filepath.Join(dir.History("w-C"), objectID+".history")
			must(t, os.Rename(past, past+".away"))
			if v, err := read(t, reopen()); err != nil || v == strings.Repeat("a", 10_000) {
				t.Errorf("without the history: %d bytes, %v", len(v), err)
			}
			must(t, os.Rename(past+".away", past))
			kept, err := list[0].Repair()
			must(t, err)
			if b, err := os.ReadFile(kept); err != nil || !strings.Contains(string(b), "ab") {
				t.Errorf("the damaged file is not kept as %s: %v", kept, err)
			}
			if v, err := read(t, reopen()); err != nil || v != strings.Repeat("a", 10_000) {
				t.Errorf("after the repair: %d bytes, %v", len(v), err)
			}
			if list, err := storage.Check(dir); err != nil || len(list) != 0 {
				t.Errorf("after the repair: %v %v", list, err)
			}
		})
	}
}

// Damage that SQLite sees itself, in an object without a history, is found by Check, too.
func TestCheckWithoutHistory(t *testing.T) {
	dir, path, _ := atRest(t)
	must(t, os.RemoveAll(dir.History("w-C")))
	must(t, overwrite(path, 4096, strings.Repeat("\xff", 4096)))
	list, err := storage.Check(dir)
	if err != nil || len(list) != 1 || list[0].Repairable {
		t.Fatalf("check: %v %v", list, err)
	}
	if _, err := list[0].Repair(); err == nil {
		t.Error("repaired without a history")
	}
}

// What another SQLite writes is no damage; the object takes it as it is.
func TestForeignWriteIsNoDamage(t *testing.T) {
	dir, path, reopen := atRest(t)
	db, err := sqlite.Open(path, sqlite.Options{Existing: true})
	must(t, err)
	must(t, db.Exec("UPDATE _cf_KV SET value = 'other'"))
	must(t, db.Close())
	if v, err := read(t, reopen()); err != nil || v != "other" {
		t.Errorf("%q %v", v, err)
	}
	if list, err := storage.Check(dir); err != nil || len(list) != 0 {
		t.Errorf("check: %v %v", list, err)
	}
}

// What is written into a state directory is its owner's alone.
func TestModes(t *testing.T) {
	dir, _, reopen := atRest(t)
	ns := reopen()
	s := ns.Store(objectID)
	put(t, s, "open")
	must(t, s.SetAlarm(time.Unix(1e9, 0)))
	must(t, s.Commit())
	_, err := s.CurrentBookmark()
	must(t, err)
	must(t, filepath.WalkDir(dir.Objects(), func(path string, e fs.DirEntry, err error) error {
		must(t, err)
		st, err := e.Info()
		must(t, err)
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[e.IsDir()]; st.Mode().Perm() != want {
			t.Errorf("%s is %s", path, st.Mode())
		}
		return nil
	}))
	must(t, ns.Close())
}

// A symbolic link where a database, its log or its history should be is not followed.
func TestSymbolicLinks(t *testing.T) {
	for _, link := range []string{"", "-wal", "-shm"} {
		_, path, reopen := atRest(t)
		outside := filepath.Join(t.TempDir(), "outside")
		must(t, os.WriteFile(outside, nil, 0o600))
		if err := os.Remove(path + link); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		must(t, os.Symlink(outside, path+link))
		ns := reopen()
		if err := ns.Store(objectID).Put("k", nil); !errors.Is(err, sqlite.ErrNotFile) ||
			!strings.Contains(err.Error(), "Check that the file") {
			t.Errorf("%q: %v", link, err)
		}
		must(t, ns.Close())
		if b, err := os.ReadFile(outside); err != nil || len(b) > 0 {
			t.Errorf("%q: %d bytes were written outside, %v", link, len(b), err)
		}
	}
}

// A file or its log that was removed or replaced while it is open is noticed before a write is confirmed; the next use
// of the object goes on with what is there.
func TestMovedFile(t *testing.T) {
	for name, move := range map[string]func(path string) error{
		"removed":      os.Remove,
		"log removed":  func(path string) error { return os.Remove(path + "-wal") },
		"folder moved": func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".away") },
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+".copy", sqlite.EmptyPage(), 0o600), os.Rename(path+".copy", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			ns := namespace(t, storage.Options{})
			s := ns.Store(objectID)
			confirmed := func() error {
				must(t, s.Commit())
				done := make(chan error, 1)
				s.Sync(func(err error) { done <- err })
				return <-done
			}
			put(t, s, "before")
			must(t, confirmed())
			must(t, move(s.Path()))
			put(t, s, "after")
			var broken *storage.BrokenError
			if err := confirmed(); !errors.As(err, &broken) || !errors.Is(err, sqlite.ErrMoved) ||
				!strings.Contains(err.Error(), s.Path()) {
				t.Errorf("confirmed: %v", err)
			}
			s.Close()
			s = ns.Store(objectID)
			put(t, s, "again")
			if err := confirmed(); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// A write is not confirmed while another process may have the objects, and the Store is broken by it.
func TestNotHeld(t *testing.T) {
	var held error
	ns := namespace(t, storage.Options{Held: func() error { return held }})
	s := ns.Store(objectID)
	confirmed := func() error {
		must(t, s.Commit())
		done := make(chan error, 1)
		s.Sync(func(err error) { done <- err })
		return <-done
	}
	put(t, s, "before")
	must(t, confirmed())
	held = errors.New("another one has it")
	put(t, s, "after")
	var broken *storage.BrokenError
	if err := confirmed(); !errors.As(err, &broken) || !errors.Is(err, held) || s.Broken() == nil {
		t.Errorf("confirmed: %v", err)
	}
	held = nil
	s.Close()
	s = ns.Store(objectID)
	put(t, s, "again")
	must(t, confirmed())
}

// An alarm index that is missing, empty or without its table is made again of the objects, with a word if alarms would
// have been lost; so is one that goes away while it is in use.
func TestLostIndex(t *testing.T) {
	empty := func(path string) error { return os.Truncate(path, 0) }
	for name, lose := range map[string]func(path string) error{
		"missing": os.Remove, "empty": empty,
		"zeros":    func(path string) error { return errors.Join(empty(path), os.Truncate(path, 4096)) },
		"no table": func(path string) error { return os.WriteFile(path, sqlite.EmptyPage(), 0o600) },
	} {
		for _, live := range []bool{false, true} {
			if live && name != "missing" {
				continue // only another file can take the place of one that is open
			}
			notices := make(chan string, 10)
			dir := filepath.Join(t.TempDir(), "w-C")
			o := storage.Options{Notify: func(text string) { notices <- text }}
			ns, err := storage.OpenNamespace(dir, o)
			must(t, err)
			for i := range 3 {
				must(t, ns.Store(id(i)).SetAlarm(time.Unix(int64(1e9+i), 0)))
				must(t, ns.Store(id(i)).Commit())
			}
			if !live {
				must(t, ns.Close())
			}
			must(t, lose(filepath.Join(dir, "metadata.sqlite")))
			if !live {
				ns, err = storage.OpenNamespace(dir, o)
				must(t, err)
			}
			must(t, ns.Store(id(3)).SetAlarm(time.Unix(1e9+3, 0)))
			must(t, ns.Store(id(3)).Commit())
			if list, err := ns.Alarms(); err != nil || len(list) != 4 {
				t.Errorf("%s, live %v: %v %v", name, live, list, err)
			}
			must(t, ns.Close())
			if text := <-notices; !strings.Contains(text, "3 alarms") && !live {
				t.Errorf("%s: %s", name, text)
			}
			ns, err = storage.OpenNamespace(dir, o)
			must(t, err)
			if list, err := ns.Alarms(); err != nil || len(list) != 4 {
				t.Errorf("%s, live %v, after a restart: %v %v", name, live, list, err)
			}
			must(t, ns.Close())
			if len(notices) > 0 {
				t.Errorf("%s, live %v: %s", name, live, <-notices)
			}
		}
	}
}
