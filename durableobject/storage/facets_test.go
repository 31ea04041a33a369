package storage_test

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"eddy/durableobject/storage"
)

// CL14: facets are numbered in the order in which they are first seen, in a file that workerd can read; what was torn
// off its end is written anew.
func TestFacetNumbers(t *testing.T) {
	dir := t.TempDir()
	ns, err := storage.OpenNamespace(dir, storage.Options{})
	must(t, err)
	defer ns.Close()
	file := filepath.Join(dir, "aa.facets")
	f, err := ns.Facets("aa")
	must(t, err)
	if _, ok := f.Find(0, "a"); ok {
		t.Error("found what was never numbered")
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("reading made a file")
	}
	for i, c := range []struct {
		parent int
		name   string
	}{{0, "a"}, {0, "b"}, {2, "a"}, {3, "x"}, {0, "a"}} {
		n, err := f.Number(c.parent, c.name)
		if want := []int{1, 2, 3, 4, 1}[i]; err != nil || n != want {
			t.Errorf("%v: %d, %v, want %d", c, n, err, want)
		}
	}
	if got := f.Under(2); !slices.Equal(got, []int{3, 4}) {
		t.Errorf("under b: %v", got)
	}
	if got := f.Under(0); !slices.Equal(got, []int{1, 2, 3, 4}) {
		t.Errorf("under the object: %v", got)
	}
	whole, err := os.ReadFile(file)
	must(t, err)
	const want = "57efb0c55bcecdc4" + "0000010061" + "0000010062" + "0200010061" + "0300010078"
	if got := hex.EncodeToString(whole); got != want {
		t.Errorf("the file is %s, want %s", got, want)
	}
	must(t, os.WriteFile(file, whole[:len(whole)-1], 0o600))
	f, err = ns.Facets("aa")
	must(t, err)
	if _, ok := f.Find(3, "x"); ok {
		t.Error("a torn entry counts")
	}
	if n, err := f.Number(1, "y"); n != 4 || err != nil {
		t.Error(n, err)
	}
	f, err = ns.Facets("aa")
	must(t, err)
	if n, ok := f.Find(1, "y"); n != 4 || !ok {
		t.Error("the number was not kept")
	}
	must(t, os.WriteFile(file, []byte("something else"), 0o600))
	if _, err = ns.Facets("aa"); err == nil {
		t.Error("another file was taken for an index")
	}
}

func FuzzFacets(f *testing.F) {
	f.Add([]byte("\x57\xef\xb0\xc5\x5b\xce\xcd\xc4\x00\x00\x01\x00a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		ns, err := storage.OpenNamespace(dir, storage.Options{})
		must(t, err)
		defer ns.Close()
		must(t, os.WriteFile(filepath.Join(dir, "aa.facets"), data, 0o600))
		fs, err := ns.Facets("aa")
		if err != nil {
			return
		}
		n, err := fs.Number(0, "new")
		must(t, err)
		again, err := ns.Facets("aa")
		must(t, err)
		if m, ok := again.Find(0, "new"); !ok || m != n {
			t.Errorf("numbered %d, read %d", n, m)
		}
	})
}
