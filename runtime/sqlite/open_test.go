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
	if _, err := sqlite.Open(missing, sqlite.Options{Existing: true}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("missing: %v", err)
	}
	garbage := filepath.Join(dir, "garbage.sqlite")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("this is no database ", 500)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(garbage, sqlite.Options{}); !sqlite.Corrupt(err) || !strings.Contains(err.Error(), garbage) {
		t.Errorf("garbage: %v", err)
	}
}

// An endless statement ends when another goroutine interrupts it.
func TestInterrupt(t *testing.T) {
	db := open(t, sqlite.Options{})
	s, _, err := db.Prepare("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT n FROM c", sqlite.Trusted)
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan struct{})
	go func() {
		<-started
		db.Interrupt()
	}()
	for i := 0; ; i++ {
		if _, err = s.Step(); err != nil {
			break
		}
		if i == 100 {
			close(started)
		}
	}
	if !sqlite.Interrupted(err) {
		t.Errorf("error = %v", err)
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
