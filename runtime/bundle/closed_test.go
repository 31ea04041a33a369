package bundle

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// TestClosed: a file is closed when it has content and nobody can write more of it.
func TestClosed(t *testing.T) {
	if runtime.GOOS != "linux" {
		if path := filepath.Join(t.TempDir(), "a.js"); closed(path) {
			t.Error("it cannot be told here")
		}
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a.js")
	if closed(path) || closed(dir) {
		t.Error("a file that is gone, or a folder, is closed")
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("half"); err != nil {
		t.Fatal(err)
	}
	if closed(path) {
		t.Error("a file is closed while it is written")
	}
	second, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if closed(path) {
		t.Error("a file is closed while a second one writes it")
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if !closed(path) {
		t.Log("the file system of temporary files knows no leases")
		return
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if closed(path) {
		t.Error("an empty file is complete")
	}
}

// TestWatchWaits: a change is signalled after the short quiet time where the one file that has changed is complete, and
// after the long one in all other cases.
func TestWatchWaits(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.js")
	write(t, path, "1")
	known := closed(path)
	waits := make(chan time.Duration, 1024)
	over := make(chan chan time.Time, 1024)
	w, err := NewWatcher(WatchOptions{Quiet: 30, Closed: 10, After: func(d time.Duration) <-chan time.Time {
		c := make(chan time.Time, 1)
		waits <- d
		over <- c
		return c
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := w.Set(WatchSet{Files: []string{path, filepath.Join(dir, "b.js")}}); err != nil {
		t.Fatal(err)
	}
	// signalled is how long the last wait before a signal is, once that many events were seen.
	signalled := func(events int) (last time.Duration) {
		t.Helper()
		for range events {
			if last = <-waits; last != 10 {
				t.Fatalf("an event begins a wait of %d", last)
			}
		}
		for len(over) > 1 {
			<-over
		}
		for {
			(<-over) <- time.Time{}
			select {
			case last = <-waits:
			case <-w.Changes():
				return last
			}
		}
	}
	want := time.Duration(20)
	if known {
		want = 10
	}
	if err := os.WriteFile(path+"~", []byte("2"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil { // one event
		t.Fatal(err)
	}
	if got := signalled(1); got != want {
		t.Errorf("a complete file waits for %d", got)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("2"); err != nil {
		t.Fatal(err)
	}
	if got := signalled(1); got != 20 {
		t.Errorf("a file that is being written waits for %d", got)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := signalled(1); got != 20 {
		t.Errorf("a file that is gone waits for %d", got)
	}
	for _, name := range []string{"a.js", "b.js"} {
		if err := os.Rename(beside(t, dir, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := signalled(2); got != 20 {
		t.Errorf("two files wait for %d", got)
	}
}

// beside writes a file that takes another's place by a rename.
func beside(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name+"~")
	write(t, path, "3")
	return path
}
