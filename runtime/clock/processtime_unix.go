//go:build !windows

package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// ProcessTime is the processor time that this process has taken, in all its threads. It reports false where the system
// does not tell.
func ProcessTime() (time.Duration, bool) {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return 0, false
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), true
}
