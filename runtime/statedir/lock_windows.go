//go:build windows

package statedir

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
)

const errorSharingViolation = syscall.Errno(32)

// lockFile opens name so that nobody else may write to it; others can still read the pid in it.
func lockFile(name string) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errorSharingViolation) {
		return nil, errLockHeld
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

// unlockFile does nothing: the lock ends with the handle, which no child inherits.
func unlockFile(*os.File) error { return nil }

// touched is always true, so that the path is looked at. Nobody can remove the file while it is open.
func touched(*os.File, *atomic.Int64) bool { return true }
