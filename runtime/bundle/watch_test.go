package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// quietTimer stands for time.After: it says that a quiet time begins and ends it on demand.
type quietTimer struct {
	begun chan chan time.Time
}

func newQuietTimer() *quietTimer { return &quietTimer{begun: make(chan chan time.Time, 1024)} }

func (q *quietTimer) after(time.Duration) <-chan time.Time {
	c := make(chan time.Time, 1)
	q.begun <- c
	return c
}

// until lets quiet times end until a change names the file. A write can be more than one event, so that an earlier file
// may be named again; one that is not watched must not be.
func (q *quietTimer) until(t *testing.T, w *Watcher, file string) {
	t.Helper()
	for {
		select {
		case c := <-q.begun:
			c <- time.Time{}
		case change, ok := <-w.Changes():
			if !ok {
				t.Fatal("the watcher ended")
			}
			for _, name := range change.Files {
				if filepath.Base(name) == "unrelated.js" {
					t.Errorf("change names %s", name)
				}
			}
			if slices.Contains(change.Files, file) {
				return
			}
		}
	}
}

func newTestWatcher(t *testing.T) (*Watcher, *quietTimer) {
	t.Helper()
	q := newQuietTimer()
	w, err := NewWatcher(WatchOptions{After: q.after})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if err := w.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
	})
	return w, q
}

func TestWatchRebuild(t *testing.T) {
	dir := project(t, map[string]string{
		"index.js": `import { v } from "./dep"; import text from "./a.txt"; export default v + text`,
		"dep.js":   `export const v = 1`, "a.txt": "A", "unrelated.js": "",
	})
	b, err := New(Options{Dir: dir, Entry: "index.js"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	w, q := newTestWatcher(t)
	value := func() string {
		t.Helper()
		bundle, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Set(b.Watch()); err != nil {
			t.Fatal(err)
		}
		h, err := start(t, bundle, nil)
		if err != nil {
			t.Fatal(err)
		}
		return settle(h.get(t, "default"))
	}
	if got := value(); got != "1A" {
		t.Fatalf("got %q", got)
	}
	path := func(name string) string { return filepath.Join(dir, name) }

	// The unrelated file changes first; only the other one is signalled.
	write(t, path("unrelated.js"), "1")
	write(t, path("dep.js"), "export const v = 2")
	q.until(t, w, path("dep.js"))
	if got := value(); got != "2A" {
		t.Errorf("got %q", got)
	}

	// An asset, saved as some editors do: written beside and renamed.
	write(t, path("a.txt~"), "B")
	if err := os.Rename(path("a.txt~"), path("a.txt")); err != nil {
		t.Fatal(err)
	}
	q.until(t, w, path("a.txt"))
	if got := value(); got != "2B" {
		t.Errorf("got %q", got)
	}

	// A build that fails is still watched: all the files of the last good one, and what was not found.
	write(t, path("index.js"), `import { v } from "./later/on"; export default v`)
	q.until(t, w, path("index.js"))
	_, err = b.Build()
	var failure *BuildError
	if !errors.As(err, &failure) {
		t.Fatalf("got %v", err)
	}
	set := b.Watch()
	if diff := cmp.Diff([]string{path("later/on")}, set.Missing); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(set.Files, path("dep.js")) {
		t.Errorf("files %q", set.Files)
	}
	if err := w.Set(set); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path("later"), 0o755); err != nil {
		t.Fatal(err)
	}
	q.until(t, w, path("later"))
	if err := w.Set(set); err != nil {
		t.Fatal(err)
	}
	write(t, path("later/on.ts"), "export const v: number = 7")
	q.until(t, w, path("later/on.ts"))
	if got := value(); got != "7" {
		t.Errorf("got %q", got)
	}
}

// TestWatchPackage covers a package that is installed after the build that missed it.
func TestWatchPackage(t *testing.T) {
	dir := project(t, map[string]string{"index.js": `import { v } from "@scope/pkg"; export default v`})
	b, err := New(Options{Dir: dir, Entry: "index.js"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Build(); err == nil {
		t.Fatal("the package is there")
	}
	w, q := newTestWatcher(t)
	if err := w.Set(b.Watch()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "node_modules", "@scope", "pkg", "index.js"), "export const v = 1")
	q.until(t, w, filepath.Join(dir, "node_modules"))
	if _, err := b.Build(); err != nil {
		t.Fatal(err)
	}
}

func TestWatchFolders(t *testing.T) {
	dir := project(t, map[string]string{"index.js": `export default 1`, "lang/en.js": ""})
	o := Options{Dir: dir, Entry: "index.js"}
	additional(&o)
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Build(); err != nil {
		t.Fatal(err)
	}
	w, q := newTestWatcher(t)
	if err := w.Set(b.Watch()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "lang", "fr.js")
	write(t, file, "export default 2")
	q.until(t, w, file)
}

func TestWatchClosed(t *testing.T) {
	w, err := NewWatcher(WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, ok := <-w.Changes(); ok {
		t.Error("a change from a closed watcher")
	}
	if err := w.Set(WatchSet{}); err == nil {
		t.Error("Set after Close succeeds")
	}
}
