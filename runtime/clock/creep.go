package clock

import "time"

// Creep lets virtual time go on by d although somebody runs: somebody who looks at the time again and again and does
// nothing else would wait for ever on a clock that stands. Timers that fall due on the way fire when the caller
// rests. It moves a paused clock, too. Other clocks go on by themselves.
func Creep(c Clock, d time.Duration) {
	v, ok := c.(*Virtual)
	if !ok {
		return
	}
	v.mu.Lock()
	v.now = v.now.Add(d)
	v.mu.Unlock()
}
