package inspector

import (
	"slices"

	"eddy/runtime/clock"
)

// Clock is the clock of a session that can be debugged: while a script is paused it stands, so that no time-out, retry
// or alarm overtakes the person who looks. A virtual clock stands anyway while a script runs.
func (s *Inspector) Clock(base clock.Clock) clock.Clock {
	if _, ok := base.(*clock.Virtual); ok {
		return base
	}
	p, ok := base.(*clock.Pausable)
	if !ok {
		p = clock.NewPausable(base)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.clocks, p) {
		s.clocks = append(s.clocks, p)
	}
	return p
}

// stand stops the clocks while a script waits for a person.
func (s *Inspector) stand() (goOn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []func()
	for _, c := range s.clocks {
		all = append(all, c.Pause())
	}
	return func() {
		for _, resume := range all {
			resume()
		}
	}
}
