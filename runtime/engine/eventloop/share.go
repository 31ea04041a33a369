package eventloop

import "time"

// A turn is charged for the time that passes, less what the process did not get of it: on a machine that has other
// things to do, or that stops the process, the script has not computed meanwhile. Asking the system what the process
// got takes longer than most turns do, so it is asked at the first look at a turn and after it.

// patience is how many times its limit a turn may take on the machine's clock at most, whatever the process got: a turn
// may also wait for something that takes no processor. By how much the timer of its limit came late is not counted: the
// process stood still.
const patience, leastPatience = 10, 10 * time.Second

// shortage is what the process did not get during one turn. Guarded by watch.mu.
type shortage struct {
	planned time.Time     // when the first look was to come
	looked  time.Time     // when it came, zero before
	used    time.Duration // what the process had taken by then
	known   bool          // used is known
	late    time.Duration // how much later than planned it came
	ceiling time.Time     // no turn gets more time than until then
}

// look takes the first look, and tells what the turn did not get so far. processTime is the system's.
func (s *shortage) look(now time.Time, processTime func() (time.Duration, bool)) time.Duration {
	if s.looked.IsZero() {
		s.looked, s.late = now, max(now.Sub(s.planned), 0)
		s.used, s.known = processTime()
		return s.late
	}
	used, ok := processTime()
	if !ok || !s.known {
		return s.late
	}
	return s.late + max(now.Sub(s.looked)-(used-s.used), 0)
}
