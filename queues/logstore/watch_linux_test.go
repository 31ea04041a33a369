package logstore

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// restOf gives a function that fails unless the kernel notes nothing at rest. Only notes count: the folder itself is
// not looked at.
func restOf(t *testing.T, w *watch) func() {
	return func() {
		t.Helper()
		w.looked = time.Now().Add(time.Hour)
		w.changed(time.Now())
		if w.notes < 0 {
			t.Fatal("the kernel takes no watch")
		}
		if w.changed(time.Now()) {
			t.Fatal("a folder at rest has changed")
		}
	}
}

// Each change is noted before the one who made it goes on.
func TestWatchSeesChanges(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "above", "queues")
	must(t, os.MkdirAll(dir, 0o700))
	w := newWatch(dir)
	defer w.end()
	seeChanges(t, root, dir, restOf(t, w), func() bool { return w.changed(time.Now()) })
}

// A folder far above the watched one is moved away, and back, and away again: each time is noted, since a look that
// was told of a change watches what is at the path then.
func TestWatchFollows(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b", "c", "queues")
	must(t, os.MkdirAll(dir, 0o700))
	w := newWatch(dir)
	defer w.end()
	rest := restOf(t, w)
	there, away := filepath.Join(root, "a"), filepath.Join(root, "away")
	for range 3 {
		rest()
		must(t, os.Rename(there, away))
		must(t, os.Rename(away, there))
		if !w.changed(time.Now()) {
			t.Error("a move away and back was not noted")
		}
	}
	rest()
	must(t, os.Rename(there, away))
	if !w.changed(time.Now()) {
		t.Error("a move was not noted")
	}
	if !w.changed(time.Now()) { // nothing can be watched, so the look is at the folder
		t.Error("a missing folder is unchanged")
	}
}

// What nobody notes is seen by a look at the folder: each time if there is a symbolic link on the way, and after a
// while in any case.
func TestWatchLooksToo(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"one", "two"} {
		must(t, os.MkdirAll(filepath.Join(root, name, "queues"), 0o700))
	}
	link := filepath.Join(root, "link")
	must(t, os.Symlink("one", link))
	linked := newWatch(filepath.Join(link, "queues"))
	defer linked.end()
	later := time.Now().Add(time.Hour)
	for range 3 {
		linked.changed(later)
	}
	if linked.notes >= 0 || linked.changed(time.Now()) {
		t.Error("a link on the way is trusted to be noted, or a folder at rest has changed")
	}
	must(t, os.Remove(link))
	must(t, os.Symlink("two", link))
	if !linked.changed(time.Now()) {
		t.Error("a link to another folder was not seen")
	}

	deaf := newWatch(filepath.Join(root, "one", "queues")) // as on a disk that another machine writes to
	defer deaf.end()
	deaf.changed(later)
	for range 3 {
		deaf.looked = time.Time{}
		deaf.changed(later)
	}
	if deaf.looked = later; deaf.changed(later) {
		t.Error("a folder at rest has changed")
	}
	silent, err := unix.InotifyInit1(unix.IN_NONBLOCK) // a list of notes to which nobody adds
	must(t, err)
	must(t, errors.Join(unix.Dup3(silent, deaf.notes, unix.O_CLOEXEC), unix.Close(silent)))
	must(t, os.Rename(filepath.Join(root, "one"), filepath.Join(root, "gone")))
	if deaf.changed(later.Add(lookEvery - 1)) {
		t.Error("a change that nobody noted was seen, which the test did not want")
	}
	if !deaf.changed(later.Add(lookEvery)) {
		t.Error("a change that nobody noted was not seen after a while")
	}
}

// Appending costs no allocation, the looks at the folder included.
func TestAppendAllocatesNothing(t *testing.T) {
	l, err := Open(Options{Dir: filepath.Join(t.TempDir(), "queues"), Durability: Relaxed})
	must(t, err)
	defer l.Close()
	group := make([]byte, 200)
	_, err = l.Append(group, true)
	must(t, err)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := l.Append(group, true); err != nil {
			t.Fatal(err)
		}
	}); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}
