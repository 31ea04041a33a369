package ratelimit

import (
	"sync"
	"time"

	"eddy/runtime/clock"
)

// Limiter counts the calls of one namespace. Any goroutine.
type Limiter struct {
	clock clock.Clock

	mu      sync.Mutex
	windows map[int]*window // guarded by mu; by period in seconds
}

// window is the present window of one period.
type window struct {
	epoch  int64
	counts map[string]uint64
}

// New makes a Limiter on a clock.
func New(c clock.Clock) *Limiter { return &Limiter{clock: c, windows: map[int]*window{}} }

// Limit counts a call of weight delta for key, and reports whether it is within limit calls in the present window of
// period seconds. A call that is refused does not count.
func (l *Limiter) Limit(key string, limit float64, period int, delta uint32) bool {
	epoch := l.clock.Now().UnixMilli() / (int64(period) * int64(time.Second/time.Millisecond))
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.windows[period]
	if w == nil || w.epoch != epoch {
		w = &window{epoch, map[string]uint64{}}
		l.windows[period] = w
	}
	if float64(w.counts[key]) >= limit {
		return false
	}
	w.counts[key] += uint64(delta)
	return true
}

// Clear forgets all calls.
func (l *Limiter) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.windows)
}
