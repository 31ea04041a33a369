package statedir

import (
	"errors"
	"strconv"
)

// LockedError says that another process has a lock.
type LockedError struct {
	File string
	Pid  int // 0 if unknown
}

// Error implements error.
func (e *LockedError) Error() string {
	who := "another process"
	if e.Pid != 0 {
		who = "process " + strconv.Itoa(e.Pid)
	}
	return "the log is in use by " + who + " (lock file " + e.File +
		"): stop that process, talk to it instead, or choose another state directory"
}

var errLockHeld = errors.New("lock held")
