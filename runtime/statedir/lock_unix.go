//go:build !windows

package statedir

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// lockFile opens and locks name; the lock goes with the open file, so it also keeps this process from opening the
// log twice.
func lockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errLockHeld
	}
	return nil, errors.Join(err, f.Close())
}

// unlockFile ends the lock for all that have the open file.
func unlockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// touched tells whether the lock may have been removed or moved since the last call. Either changes the time of the
// file's entry; taking the lock does not count. seen is what the last call saw.
func touched(f *os.File, seen *atomic.Int64) bool {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil || st.Nlink == 0 {
		return true
	}
	changed := st.Ctim.Nano()
	return seen.Swap(changed) != changed
}
