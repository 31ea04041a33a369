package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eddy/runtime/sqlite"
)

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.sqlite")
	if _, err := sqlite.Open(missing, sqlite.Options{Existing: true}); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), missing) {
		t.Errorf("missing: %v", err)
	}
	garbage := filepath.Join(dir, "garbage.sqlite")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("this is no database ", 500)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(garbage, sqlite.Options{}); !sqlite.Corrupt(err) ||
		!strings.Contains(err.Error(), garbage) {
		t.Errorf("garbage: %v", err)
	}
}

func BenchmarkOpenClose(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.sqlite")
	b.ReportAllocs()
	for b.Loop() {
		db, err := sqlite.Open(path, sqlite.Options{Limits: sqlite.PlatformLimits})
		if err != nil {
			b.Fatal(err)
		}
		db.Close()
	}
}
