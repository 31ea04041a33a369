package sharing

import (
	"errors"
	"fmt"
	"sync"

	"eddy/runtime/report"
	"eddy/runtime/statedir"
)

// workerLock is the lock of a Worker of this session.
type workerLock struct {
	mu   sync.Mutex
	held *statedir.Held // guarded by mu; nil once it is given back
}

func (l *workerLock) release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		return nil
	}
	held := l.held
	l.held = nil
	return held.Release()
}

// Held fails if the session no longer has the lock of a Worker: somebody has removed its file, and another session has
// taken it. That session has the Worker's objects as well, and what this one writes to them must not be acknowledged.
// If nobody has taken the lock yet, Held takes it again and tells the user. Any goroutine.
func (s *Sharing) Held(worker string) error {
	l := s.locks[worker]
	if l == nil {
		return nil // no other session uses the state directory
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil || l.held.InPlace() {
		return nil
	}
	file := s.o.State.WorkerLock(worker)
	again, err := statedir.Lock(file)
	var locked *statedir.LockedError
	switch {
	case errors.As(err, &locked):
		return fmt.Errorf("process %d runs Worker %s on this state directory, too: the lock file %s was removed while "+
			"this session ran. End one of the two", locked.Pid, worker, file)
	case err != nil:
		return fmt.Errorf("the lock file %s was removed while this session ran, and cannot be made again: %w. End the "+
			"session and start it anew", file, err)
	}
	s.o.Report.Line(report.Warn, "state", fmt.Sprintf("The lock file %s was removed, and is there again. No other "+
		"session has Worker %s.", file, worker))
	// Nothing depends on the old file any more, so an error of closing it does not matter.
	_ = l.held.Release()
	l.held = again
	return nil
}
