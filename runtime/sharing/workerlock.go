package sharing

import (
	"sync"

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
