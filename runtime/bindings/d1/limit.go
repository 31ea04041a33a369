package d1

import (
	"time"

	"eddy/runtime/clock"
)

// limit makes the running statement fail after t, of which a time when the whole process stood still is a moment. late
// undoes that, and tells whether it has happened.
func (d *Database) limit(t time.Duration) (late func() bool) {
	if t <= 0 {
		return func() bool { return false }
	}
	fired := make(chan struct{})
	timer := clock.AfterPatience(d.machine, t, func() {
		d.stop.Store(true)
		close(fired)
	})
	return func() bool {
		if timer.Stop() {
			return false
		}
		<-fired
		d.stop.Store(d.closing.Load())
		return true
	}
}
