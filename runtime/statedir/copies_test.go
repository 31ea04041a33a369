package statedir

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

var copySteps = flag.Int("copies.steps", 1000, "how many steps TestCopies takes")

// The folder is what a model of it says after any writes, removals and renames, and after any copy is put back; what is
// not needed any more is removed.
func TestCopies(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	folder, dir := filepath.Join(t.TempDir(), "folder"), filepath.Join(t.TempDir(), "copies")
	c := NewCopies(folder, dir)
	type taken struct {
		copy  *Copy
		files map[string]string
	}
	now, kept, used := map[string]string{}, []taken(nil), true
	for i := range *copySteps {
		name := fmt.Sprintf("d%d/f%d", rng.IntN(3), rng.IntN(4))
		file := filepath.Join(folder, name)
		switch op := rng.IntN(10); {
		case op < 4:
			now[name], used = fmt.Sprint("text ", i%7), true // often the same text once more
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(now[name]), 0o600); err != nil {
				t.Fatal(err)
			}
		case op == 4:
			if _, ok := now[name]; !ok {
				continue
			}
			delete(now, name)
			used = true
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		case op == 5: // what does not count
			for _, suffix := range []string{"-shm", "-wal"} {
				if _, err := os.Stat(filepath.Dir(file)); err == nil {
					if err := os.WriteFile(file+suffix, nil, 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
		case op < 8:
			var k *Copy
			var err error
			if !used && c.Current() != nil {
				k = c.Again()
			} else if k, err = c.Take(); err != nil {
				t.Fatal(err)
			}
			used = false
			kept = append(kept, taken{k, maps.Clone(now)})
		case len(kept) > 0:
			last := kept[len(kept)-1]
			kept = kept[:len(kept)-1]
			changed, err := c.Changed(last.copy)
			if err != nil || !changed && !maps.Equal(now, last.files) {
				t.Fatalf("step %d: not changed, %v: %v, was %v", i, err, now, last.files)
			}
			if err := c.PutBack(last.copy); err != nil {
				t.Fatal(err)
			}
			if err := c.Drop(last.copy); err != nil {
				t.Fatal(err)
			}
			now, used = last.files, false
		}
		if got := filesIn(t, folder); !maps.Equal(got, now) {
			t.Fatalf("step %d: %v\nexpected %v", i, got, now)
		}
	}
	for _, k := range kept {
		if err := c.Drop(k.copy); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Forget(); err != nil {
		t.Fatal(err)
	}
	if left := filesIn(t, dir); len(left) > 0 {
		t.Errorf("copies that nobody needs: %v", left)
	}
}

// filesIn are the texts of the files of a folder that count.
func filesIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	c := NewCopies(folder, "")
	if err := c.each(func(name string, _ fs.FileInfo) error {
		text, err := os.ReadFile(filepath.Join(folder, name))
		files[filepath.ToSlash(name)] = string(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}
