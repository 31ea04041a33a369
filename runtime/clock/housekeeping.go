package clock

import "time"

// Housekeeping is [Clock.AfterFunc] for work that changes nothing that a script could wait for, as letting go of what
// is idle. [Virtual.Next] passes over it: otherwise whoever looks at an object again and again until the next event
// would make that event, the object's idle end, by looking.
func Housekeeping(c Clock, d time.Duration, f func()) Timer {
	v, ok := c.(*Virtual)
	if !ok {
		return c.AfterFunc(d, f)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.addLocked(&v.chores, d, f)
}
