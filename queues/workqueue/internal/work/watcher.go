package work

import (
	"context"
	"sync"
)

// Watcher is how a store tells a subscription of new work.
type Watcher struct {
	wakes chan struct{} // capacity 1

	mu   sync.Mutex // guards what follows
	idle bool       // the subscription waits to be woken
	free chan struct{}

	passOn func() // nil in stores that wake everybody; set before the subscription begins
}

// NewWatcher returns a watcher whose subscription is busy.
func NewWatcher() *Watcher {
	return &Watcher{wakes: make(chan struct{}, 1), free: make(chan struct{})}
}

// Wake tells that jobs may have become eligible. It does not block.
func (w *Watcher) Wake() {
	select {
	case w.wakes <- struct{}{}:
	default:
	}
}

// WakeIdle wakes a subscription that waits to be woken, and reports whether it does. It does not block.
func (w *Watcher) WakeIdle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.idle {
		w.Wake()
	}
	return w.idle
}

// PassOn lets f be called when a wake-up has come to a subscription that cannot follow it, because its last free
// worker got a job meanwhile or it ends. A store that wakes one subscription of many needs it, in Watch. f must not
// block.
func (w *Watcher) PassOn(f func()) { w.passOn = f }

func (w *Watcher) pass() {
	if w.passOn != nil {
		w.passOn()
	}
}

// Wakes is sent to by Wake.
func (w *Watcher) Wakes() <-chan struct{} { return w.wakes }

// AwaitIdle waits until the subscription has a free worker and no claim on its way, or ctx ends. A store that wakes one
// subscription of many wakes one of those.
func (w *Watcher) AwaitIdle(ctx context.Context) error {
	for {
		w.mu.Lock()
		idle, free := w.idle, w.free
		w.mu.Unlock()
		if idle {
			return nil
		}
		select {
		case <-free:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (w *Watcher) setIdle(idle bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if idle == w.idle {
		return
	}
	w.idle = idle
	if idle {
		close(w.free)
	} else {
		w.free = make(chan struct{})
	}
}
