//go:build !windows

package statedir

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A lock that was given back is free, also while a process that is being started still has its file: between fork and
// exec it has all files of this process.
func TestReleaseBesideAStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	h, err := Lock(file)
	if err != nil {
		t.Fatal(err)
	}
	child, err := syscall.Dup(int(h.f.Fd())) // as a child has it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(child) }()
	if err := h.Release(); err != nil {
		t.Fatal(err)
	}
	if h, err = Lock(file); err != nil {
		t.Fatal(err)
	}
	if err := h.Release(); err != nil {
		t.Error(err)
	}
}
