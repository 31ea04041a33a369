package clock

import (
	"sync"
	"time"
)

// Pausable is a clock that goes on by itself and can be stopped: while somebody looks at a stopped program, nothing
// falls due. Afterwards it lags behind its base by the time for which it stood. Make one with [NewPausable].
type Pausable struct {
	Clock

	mu     sync.Mutex
	paused int
	since  time.Time     // of the base, when paused became 1
	behind time.Duration // the base
	timers map[*pausableTimer]struct{}
}

// NewPausable makes a clock of one that goes on by itself: [Real] or [Scaled]. A [Virtual] can be paused as it is.
func NewPausable(base Clock) *Pausable {
	return &Pausable{Clock: base, timers: map[*pausableTimer]struct{}{}}
}

type pausableTimer struct {
	of   *Pausable
	when time.Time
	f    func()
	base Timer // nil while the clock stands
}

// Now implements [Clock].
func (p *Pausable) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nowLocked()
}

func (p *Pausable) nowLocked() time.Time {
	if p.paused > 0 {
		return p.since.Add(-p.behind)
	}
	return p.Clock.Now().Add(-p.behind)
}

// AfterFunc implements [Clock].
func (p *Pausable) AfterFunc(d time.Duration, f func()) Timer {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := &pausableTimer{of: p, when: p.nowLocked().Add(d), f: f}
	p.timers[t] = struct{}{}
	if p.paused == 0 {
		t.armLocked(d)
	}
	return t
}

func (t *pausableTimer) armLocked(d time.Duration) {
	t.base = t.of.Clock.AfterFunc(d, func() {
		t.of.mu.Lock()
		_, waits := t.of.timers[t]
		if waits && t.of.paused > 0 {
			t.base = nil // the clock was stopped a moment ago
			waits = false
		} else {
			delete(t.of.timers, t)
		}
		t.of.mu.Unlock()
		if waits {
			t.f()
		}
	})
}

// Stop implements [Timer].
func (t *pausableTimer) Stop() bool {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	_, waits := t.of.timers[t]
	delete(t.of.timers, t)
	if t.base != nil {
		t.base.Stop()
	}
	return waits
}

// Pause stops the clock until resume is called, by all who have paused it. resume may be called more than once; only
// the first call counts.
func (p *Pausable) Pause() (resume func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused++; p.paused == 1 {
		p.since = p.Clock.Now()
		for t := range p.timers {
			if t.base != nil && t.base.Stop() {
				t.base = nil
			}
		}
	}
	return sync.OnceFunc(p.resume)
}

func (p *Pausable) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused--; p.paused > 0 {
		return
	}
	p.behind += p.Clock.Now().Sub(p.since)
	now := p.nowLocked()
	for t := range p.timers {
		if t.base == nil {
			t.armLocked(max(t.when.Sub(now), 0))
		}
	}
}
