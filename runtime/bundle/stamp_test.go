package bundle

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestShelfProvesContent: other files of the same size with the time of those before, as package managers and archives
// write them, are seen.
func TestShelfProvesContent(t *testing.T) {
	for _, name := range []string{"node_modules/adder/add.js", "src/two.js", "node_modules/adder/package.json"} {
		o, s := shelfProject(t)
		shelve(t, s, o)
		path := filepath.Join(o.Dir, filepath.FromSlash(name))
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text[len(text)-2] = ' '
		write(t, path, string(text))
		times(t, path, info.ModTime())
		if s.Take(o) != nil {
			t.Errorf("%s: the shelf gives a bundle of before", name)
		}
	}
}

// TestStands: a bundle that was taken tells of what has changed since.
func TestStands(t *testing.T) {
	o, s := shelfProject(t)
	shelve(t, s, o)
	b := s.Take(o)
	if !b.Stands() {
		t.Error("nothing has changed, and it does not stand")
	}
	write(t, filepath.Join(o.Dir, "src", "two.js"), "export const two = 3;")
	if b.Stands() {
		t.Error("a file has changed, and it stands")
	}
}

// TestMoved: what was written since a time, or is gone, has moved.
func TestMoved(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.js")
	write(t, file, "1")
	if now := time.Now(); !Moved([]string{file}, now.Add(-time.Minute)) || Moved([]string{file}, now.Add(time.Minute)) {
		t.Error("a file moves when it is written, and not before or after")
	}
	if !Moved([]string{file + "x"}, time.Now()) {
		t.Error("what is gone has not moved")
	}
}
