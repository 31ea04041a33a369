package cachedir

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestPrune: the oldest goes first, and half-written files when they are old.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for i, name := range []string{"a", "b", "c", "d.1.tmp", "e.2.tmp"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		at := now.Add(time.Duration(i-4) * 40 * time.Minute)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	Prune(dir, 250, now)
	if names := list(t, dir); names != "b c d.1.tmp e.2.tmp " {
		t.Errorf("left are %s", names)
	}
}

// TestWrite: a file is there as a whole, and one that cannot be written leaves nothing.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "below", "it")
	if !Open(dir) {
		t.Fatal("a new folder is refused")
	}
	if err := Write(dir, "a", []byte("one "), []byte("two")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(text) != "one two" {
		t.Errorf("the file has %q, %v", text, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, "b", []byte("three")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if names := list(t, dir); names != "a b " {
		t.Errorf("left are %s", names)
	}
}

// TestOpenRefuses: what somebody else may write is not used, nor what cannot be made.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if os.PathSeparator != '\\' && Open(dir) {
		t.Error("a folder of everybody's is used")
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if Open(filepath.Join(file, "below")) {
		t.Error("a folder below a file is used")
	}
}

func list(t *testing.T, dir string) (names string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names += e.Name() + " "
	}
	return names
}
