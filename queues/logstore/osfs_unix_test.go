//go:build !windows

package logstore

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A folder that was looked at is trusted only when the next change must have another time: until then, and after each
// change, whoever asks is sent to look at the files.
func TestFolderIsTrustedLate(t *testing.T) {
	second := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	at := func(d time.Duration) look { return look{1, 2, second.Add(d).UnixNano(), second.Add(d).UnixNano()} }
	var f folder
	for _, c := range []struct {
		what    string
		is      look
		after   time.Duration // of the look, since the second began
		changed bool
	}{
		{"the first look", at(5 * time.Millisecond), 6 * time.Millisecond, true},
		{"in the same tick, perhaps", at(5 * time.Millisecond), 35 * time.Millisecond, true},
		{"long after, but not when it was looked at last", at(5 * time.Millisecond), 36 * time.Millisecond, true},
		{"settled", at(5 * time.Millisecond), 37 * time.Millisecond, false},
		{"another file in it", at(202 * time.Millisecond), 203 * time.Millisecond, true},
		{"after a while", at(202 * time.Millisecond), 400 * time.Millisecond, true},
		{"settled again", at(202 * time.Millisecond), 401 * time.Millisecond, false},
		{"another folder", look{1, 3, at(0).changed, at(0).modified}, 402 * time.Millisecond, true},
		{"a time in whole seconds may be one of every two", look{1, 3, at(0).changed, at(0).modified}, 2 * time.Second,
			true},
		{"and is trusted later", look{1, 3, at(0).changed, at(0).modified}, 4 * time.Second, true},
		{"settled at last", look{1, 3, at(0).changed, at(0).modified}, 5 * time.Second, false},
		{"a time that is still to come", at(time.Hour), 6 * time.Second, true},
		{"is never trusted", at(time.Hour), 7 * time.Second, true},
	} {
		if got := f.compare(c.is, second.Add(c.after)); got != c.changed {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// On this machine's disk: a folder at rest is trusted; adding, removing, moving and replacing are seen, each of them.
func TestFolderChanges(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "above", "queues")
	f := &folder{path: dir}
	rest := func() { // as if the last change were long ago: the next one has another time, however slow the clock ticks
		long := time.Now().Add(-time.Hour)
		must(t, os.Chtimes(dir, long, long))
		f.changed(time.Now().Add(time.Hour))
		if f.changed(time.Now()) {
			t.Fatal("a folder at rest has changed")
		}
	}
	seeChanges(t, root, dir, rest, func() bool { return f.changed(time.Now()) })
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// seeChanges makes changes of all kinds at the folder root/above/queues, and asks after each whether it was seen.
func seeChanges(t *testing.T, root, dir string, rest func(), changed func() bool) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "lock"), nil, 0o600))
	for _, c := range []struct {
		what string
		do   func() error
	}{
		{"a file is added", func() error { return os.WriteFile(filepath.Join(dir, "1"), nil, 0o600) }},
		{"a file is removed", func() error { return os.Remove(filepath.Join(dir, "1")) }},
		{"a file is moved away", func() error {
			return os.Rename(filepath.Join(dir, "lock"),
				filepath.Join(root, "lock"))
		}},
		{"a file is moved in", func() error {
			return os.Rename(filepath.Join(root, "lock"),
				filepath.Join(dir, "lock"))
		}},
		{"a file is replaced", func() error {
			must(t, os.WriteFile(filepath.Join(root, "other"), nil, 0o600))
			return os.Rename(filepath.Join(root, "other"), filepath.Join(dir, "lock"))
		}},
		{"the folder above is moved and copied", func() error {
			must(t, os.Rename(filepath.Join(root, "above"), filepath.Join(root, "away")))
			return os.CopyFS(filepath.Join(root, "above"), os.DirFS(filepath.Join(root, "away")))
		}},
		{"the folder above is removed", func() error { return os.RemoveAll(filepath.Join(root, "above")) }},
	} {
		rest()
		must(t, c.do())
		if !changed() {
			t.Errorf("%s: nothing has changed", c.what)
		}
	}
}
