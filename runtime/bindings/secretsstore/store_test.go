package secretsstore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eddy/runtime/clock"
	"eddy/runtime/statedir"
)

// A secret is made, read, listed, changed, copied and removed; what is not there is told, and too long a value refused.
func TestStore(t *testing.T) {
	s := New(Options{State: statedir.Dir(t.TempDir()), ID: "st1", Clock: clock.Real{}})
	defer s.Close()
	if _, ok, err := s.Value("api"); ok || err != nil {
		t.Fatalf("a secret of an empty store: %v %v", ok, err)
	}
	id, err := s.Create("api", "v1")
	if err != nil || len(id) != 32 {
		t.Fatalf("create: %q %v", id, err)
	}
	if name, err := s.Get(id); name != "api" || err != nil {
		t.Errorf("get: %q %v", name, err)
	}
	if err := s.Update(id, "v2"); err != nil {
		t.Error(err)
	}
	copied, err := s.Duplicate(id, "copy")
	if err != nil || copied == id {
		t.Errorf("duplicate: %q %v", copied, err)
	}
	list, err := s.Secrets()
	if err != nil || len(list) != 2 || list[0] != (Secret{"api", id}) || list[1] != (Secret{"copy", copied}) {
		t.Errorf("list: %v %v", list, err)
	}
	if err := s.Delete(id); err != nil {
		t.Error(err)
	}
	if v, ok, err := s.Value("copy"); v != "v2" || !ok || err != nil {
		t.Errorf("the copy: %q %v %v", v, ok, err)
	}
	for what, err := range map[string]error{
		"update": s.Update(id, "x"), "delete": s.Delete(id), "no id": s.Delete(""),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s of a secret that is gone: %v", what, err)
		}
	}
	if _, err := s.Create("long", strings.Repeat("x", maxValue+1)); err == nil {
		t.Error("a value over the limit was taken")
	}
}

// Stores are kept where wrangler keeps them (BIND-31): this name of a file was seen in its state directory for the
// store st1.
func TestPlace(t *testing.T) {
	dir := t.TempDir()
	s := New(Options{State: statedir.Dir(dir), ID: "st1", Clock: clock.Real{}})
	defer s.Close()
	if _, err := s.Create("api", "v1"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "v3", "secrets-store", "miniflare-secrets-store-KVNamespaceObject",
		"a2095805b50786564182f5c6a35530c4202fcb660a3d53e05699b295f011352a.sqlite")
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	if values, err := os.ReadDir(filepath.Join(dir, "v3", "secrets-store", "st1", "blobs")); err != nil ||
		len(values) != 1 {
		t.Errorf("values: %v %v", values, err)
	}
}
