package clock

import (
	"time"

	"golang.org/x/sys/windows"
)

// ProcessTime is the processor time that this process has taken, in all its threads. It reports false where the system
// does not tell.
func ProcessTime() (time.Duration, bool) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return 0, false
	}
	ticks := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * 100, true
}
