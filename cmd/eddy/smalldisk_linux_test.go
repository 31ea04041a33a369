package main

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// smallDisk is a directory with a file system of its own, which is soon full; "" if this user may not mount one.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	err := unix.Mount("eddy", dir, "tmpfs", 0, "size=64m")
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}
