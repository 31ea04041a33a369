package queuetest

import (
	"sync"
	"time"

	queue "eddy/queues/workqueue"
)

// FakeClock is a queue.Clock that stands still until a test moves it. It may be used from several goroutines.
type FakeClock struct {
	mu     sync.Mutex // guards what follows
	now    time.Time
	timers map[*fakeTimer]bool
}

// NewFakeClock makes a clock that shows start.
func NewFakeClock(start time.Time) *FakeClock {
	return &FakeClock{now: start, timers: map[*fakeTimer]bool{}}
}

// Now is what the clock shows.
func (c *FakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward by d and fires the timers that are due by then, in the order of their times.
func (c *FakeClock) Advance(d time.Duration) { c.Set(c.Now().Add(d)) }

// Set moves the clock to t, which may be in the past: then nothing fires.
func (c *FakeClock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		var first *fakeTimer
		for timer := range c.timers {
			if !timer.at.After(t) && (first == nil || timer.at.Before(first.at)) {
				first = timer
			}
		}
		if first == nil {
			break
		}
		c.now = first.at
		first.fire()
	}
	c.now = t
}

// Timers is how many timers are waiting.
func (c *FakeClock) Timers() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// NewTimer implements queue.Clock.
func (c *FakeClock) NewTimer(d time.Duration) queue.Timer {
	t := &fakeTimer{clock: c, c: make(chan time.Time, 1)}
	t.Reset(d)
	return t
}

type fakeTimer struct {
	clock *FakeClock
	c     chan time.Time
	at    time.Time
}

// fire is called with the clock's lock held.
func (t *fakeTimer) fire() {
	delete(t.clock.timers, t)
	t.c <- t.at
}

func (t *fakeTimer) C() <-chan time.Time { return t.c }

func (t *fakeTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	return t.stop()
}

func (t *fakeTimer) stop() bool {
	active := t.clock.timers[t]
	delete(t.clock.timers, t)
	select {
	case <-t.c: // as with time.Timer, nothing stale comes out
	default:
	}
	return active
}

func (t *fakeTimer) Reset(d time.Duration) bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	active := t.stop()
	t.at = t.clock.now.Add(max(d, 0))
	if d <= 0 {
		t.fire()
	} else {
		t.clock.timers[t] = true
	}
	return active
}
