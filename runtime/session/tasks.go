package session

import "sync"

// tasks are the session's goroutines. Nothing is started any more once they are closed, so that waiting for them comes
// to an end.
type tasks struct {
	mu      sync.Mutex
	closed  bool // guarded by mu
	running sync.WaitGroup
}

// Go runs f on a goroutine of its own. If the session is ending, Go does not run f and returns false.
func (t *tasks) Go(f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.running.Go(f)
	return true
}

// close refuses new tasks.
func (t *tasks) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}

// wait returns when all tasks have ended. close is called before.
func (t *tasks) wait() { t.running.Wait() }
