package logstore

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserve gives the part of a file between two places room on the disk, and leaves its size. It reports whether it did:
// a disk that is nearly full and many file systems do not.
func reserve(f *os.File, from, to int64) bool {
	for {
		err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, from, to-from)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
