package storage_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"eddy/durableobject/storage"
	"eddy/runtime/sqlite"
)

// A full disk breaks the Store, whether it shows in a statement, in a commit,
// in a new file or in a sync; what was committed is there afterwards, and with
// room again writing goes on.
func TestDiskFull(t *testing.T) {
	var f sqlite.Faults
	ns := namespace(t, storage.Options{Faults: &f})
	reset := func() *storage.Store { ns.Store(objectID).Close(); return ns.Store(objectID) }
	s := ns.Store(objectID)
	put(t, s, "before")
	must(t, s.Commit())
	check := func(when string, err error) {
		t.Helper()
		var broken *storage.BrokenError
		if !errors.As(err, &broken) || !sqlite.Full(err) && !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v", when, err)
		} else if !strings.Contains(err.Error(), broken.Path) ||
			!strings.Contains(err.Error(), "Make room on the disk") {
			t.Errorf("%s: the text is %q", when, err)
		}
		f.SetFull(false)
		s = reset()
		if got := keys(t, s, storage.ListOptions{}); got != "before" {
			t.Errorf("%s: afterwards %q", when, got)
		}
	}

	f.SetFull(true)
	put(t, s, "during")
	check("commit", s.Commit())

	f.SetFull(true)
	check("statement", s.Put("big", make([]byte, 1<<20))) // more than the page cache holds

	f.FullAfter(8192)
	put(t, s, "a", "b")
	must(t, exec(s, "CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(20000))"))
	check("in the middle of a commit", s.Commit())

	f.SetFull(true)
	err := ns.Store(id(2)).Put("k", nil)
	check("new file", err)
	ns.Store(id(2)).Close()
	put(t, ns.Store(id(2)), "k")
	must(t, ns.Store(id(2)).Commit())

	must(t, s.SetAlarm(time.Unix(1e9, 0)))
	f.SetFull(true)
	check("alarm", s.Commit())

	put(t, s, "before")
	must(t, s.Commit())
	f.SetFull(true)
	synced := make(chan error)
	s.Sync(func(err error) { synced <- err })
	if err := <-synced; !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("sync: %v", err)
	}
	f.SetFull(false)
	put(t, s, "after")
	must(t, s.Commit())
	if got := keys(t, s, storage.ListOptions{}); got != "after before" {
		t.Errorf("with room again: %q", got)
	}
}

// damages are what can be wrong with an object's file, and what the error says
// beside the file's name.
var damages = []struct {
	name   string
	damage func(path string) error
	text   string
}{
	{"garbage", func(path string) error {
		return os.WriteFile(path, []byte(strings.Repeat("garbage ", 4000)), 0o644)
	}, "file is not a database: SQLITE_NOTADB. It is damaged"},
	{"pages overwritten", func(path string) error { return overwrite(path, 4096, strings.Repeat("\xff", 4096*8)) },
		"database disk image is malformed"},
	{"cut short", func(path string) error { return os.Truncate(path, 4096) }, "database disk image is malformed"},
	{"a newer format", func(path string) error { return overwrite(path, 44, "\x00\x00\x00\x09") },
		"A newer SQLite than the one in eddy wrote it"},
	{"a newer version", func(path string) error { return overwrite(path, 18, "\x09\x09") },
		"file is not a database: SQLITE_NOTADB"},
	{"a directory", func(path string) error {
		return errors.Join(os.Remove(path), os.Mkdir(path, 0o755))
	}, "it is not a file. Check that the file"},
	{"a directory for the log", func(path string) error { return os.Mkdir(path+"-wal", 0o755) }, "Check that the file"},
}

func overwrite(path string, offset int64, with string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(with), offset)
	return errors.Join(err, f.Close())
}

// A damaged file hurts its own object only, and the error names it and says
// what to do; removing the object makes room for a new one.
func TestDamagedFile(t *testing.T) {
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "w-Class")
			ns, err := storage.OpenNamespace(dir, storage.Options{})
			must(t, err)
			for i := range 2 {
				for k := range 200 {
					put(t, ns.Store(id(i)), fmt.Sprint("key", k))
				}
				must(t, ns.Store(id(i)).Commit())
			}
			must(t, ns.Close())
			path := filepath.Join(dir, id(0)+".sqlite")
			must(t, d.damage(path))
			ns, err = storage.OpenNamespace(dir, storage.Options{})
			must(t, err)
			_, err = ns.Store(id(0)).List(storage.ListOptions{})
			var broken *storage.BrokenError
			if !errors.As(err, &broken) || !strings.Contains(err.Error(), path) ||
				!strings.Contains(err.Error(), d.text) || !strings.Contains(err.Error(),
				"eddy objects delete w-Class "+id(0)) {
				t.Errorf("list: %v", err)
			}
			if err := ns.Store(id(0)).Put("k", nil); !errors.As(err, &broken) {
				t.Errorf("put: %v", err)
			}
			if got := strings.Fields(keys(t, ns.Store(id(1)), storage.ListOptions{})); len(got) != 200 {
				t.Errorf("the other object has %d keys", len(got))
			}
			must(t, ns.Close())
		})
	}
}

// What a disk that cannot be written, or not at all be read, makes of an object
// that was there before.
func TestReadOnlyAndBrokenDisk(t *testing.T) {
	for name, set := range map[string]func(*sqlite.Faults,
		bool){"may read and write, and its directory too": (*sqlite.Faults).SetReadOnly,
		"disk I/O error": (*sqlite.Faults).SetBroken} {
		var f sqlite.Faults
		ns := namespace(t, storage.Options{Faults: &f})
		s := ns.Store(objectID)
		put(t, s, "k")
		must(t, s.Commit())
		s.Close()
		ns.Settle()
		set(&f, true)
		s = ns.Store(objectID)
		var broken *storage.BrokenError
		if err := s.Put("more", nil); !errors.As(err, &broken) || !strings.Contains(err.Error(), name) ||
			!strings.Contains(err.Error(), s.Path()) {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
		set(&f, false)
		if got := keys(t, ns.Store(objectID), storage.ListOptions{}); got != "k" {
			t.Errorf("%s: afterwards %q", name, got)
		}
	}
}

// A log that was cut or overwritten at its end, as a loss of power leaves it,
// opens at the last commit that is whole; a log of garbage is none.
func TestTornLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "live")
	ns, err := storage.OpenNamespace(dir, storage.Options{})
	must(t, err)
	s := ns.Store(objectID)
	var sizes []int64
	for i := range 5 {
		put(t, s, fmt.Sprint("k", i))
		must(t, s.Commit())
		st, err := os.Stat(s.Path() + "-wal")
		must(t, err)
		sizes = append(sizes, st.Size())
	}
	defer ns.Close()
	for name, c := range map[string]struct {
		tear func(wal string) error
		want string
	}{
		"cut":     {func(wal string) error { return os.Truncate(wal, sizes[3]-100) }, "k0 k1 k2"},
		"garbled": {func(wal string) error { return overwrite(wal, sizes[2]+200, "garbage") }, "k0 k1 k2"},
		"garbage": {func(wal string) error { return overwrite(wal, 0, strings.Repeat("x", 100)) }, ""},
	} {
		copied := filepath.Join(t.TempDir(), "copy")
		must(t, os.CopyFS(copied, os.DirFS(dir)))
		torn, err := storage.OpenNamespace(copied, storage.Options{})
		must(t, err)
		must(t, c.tear(torn.Store(objectID).Path()+"-wal"))
		if got := keys(t, torn.Store(objectID), storage.ListOptions{}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		must(t, torn.Close())
	}
}

// A damaged alarm index is put aside and made again of the object files, at the
// start and while in use.
func TestDamagedIndex(t *testing.T) {
	for _, d := range damages[:3] {
		t.Run(d.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "w-Class")
			notices := make(chan string, 10)
			o := storage.Options{NameTable: true, Notify: func(text string) { notices <- text }}
			ns, err := storage.OpenNamespace(dir, o)
			must(t, err)
			for i := range 3 {
				s := ns.Store(id(i))
				s.SetName(fmt.Sprint("name", i))
				must(t, s.SetAlarm(time.Unix(int64(1e9+i), 0)))
				must(t, s.Commit())
			}
			put(t, ns.Store(id(3)), "no alarm")
			must(t, ns.Store(id(3)).Commit())
			must(t, ns.Close())
			must(t, os.WriteFile(filepath.Join(dir, id(4)+".sqlite"), []byte(strings.Repeat("garbage ", 4000)), 0o644))
			index := filepath.Join(dir, "metadata.sqlite")
			must(t, d.damage(index))

			ns, err = storage.OpenNamespace(dir, o)
			must(t, err)
			list, err := ns.Alarms()
			must(t, err)
			if len(list) != 3 || list[0] != (storage.Alarm{ID: id(0), Time: time.Unix(1e9, 0), Name: "name0"}) {
				t.Errorf("alarms: %v", list)
			}
			if text := <-notices; !strings.Contains(text, index+".damaged") || !strings.Contains(text, "3 alarms") ||
				!strings.Contains(text, id(4)) {
				t.Errorf("notice: %s", text)
			}
			if _, err := os.Stat(index + ".damaged"); err != nil {
				t.Error(err)
			}
			must(t, ns.Close())
		})
	}
}
