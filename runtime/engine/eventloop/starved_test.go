package eventloop

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"eddy/runtime/clock"
)

// A turn is not ended while the process gets no processor, and is when it gets one again.
func TestStarvedTurnGoesOn(t *testing.T) {
	const many = 1 << 32 // is added when the process gets something
	var asked atomic.Int64
	fed := make(chan struct{})
	processTime := func() (time.Duration, bool) {
		asked.Add(1)
		select {
		case <-fed:
			return clock.ProcessTime()
		default:
			return 0, true // the process got nothing yet
		}
	}
	l := newLoop(t, Options{Name: "starved", processTime: processTime})
	over := make(chan int64, 1)
	if err := l.Do(context.Background(), func() {
		if err := l.Runtime().Set("look", func() {
			// The deadline has been put off three times: so often was the system asked after the first look.
			if n := asked.Load(); n >= 4 && n < many {
				close(fed)
				asked.Add(many)
			}
		}); err != nil {
			t.Fatal(err)
		}
		s := l.NewScope(context.Background(), nil, nil)
		s.LimitCPU(10*time.Millisecond, func() { over <- asked.Load() })
		s.Run(func() {
			if _, err := l.Runtime().RunString(`for (;;) look()`); err == nil {
				t.Error("an endless loop ended by itself")
			}
		})
	}); err != nil {
		t.Fatal(err)
	}
	if n := <-over; n < many {
		t.Errorf("the turn ended after %d looks at what the process got", n)
	}
}

// A process that stood still while a turn ran does not end it for having taken too long on the machine's clock.
func TestStandstillIsNoTurn(t *testing.T) {
	l := newLoop(t, Options{Name: "stopped", processTime: func() (time.Duration, bool) { return 0, true }})
	if err := l.Do(context.Background(), func() {
		s := l.NewScope(context.Background(), nil, nil)
		s.LimitCPU(10*time.Second, func() { t.Error("the turn was ended") })
		s.Run(func() {
			const still = 2 * patience * 10 * time.Second
			w := &l.watch
			w.mu.Lock()
			for _, at := range []*time.Time{&w.mu.begun, &w.mu.deadline, &w.mu.due, &w.mu.shortage.planned,
				&w.mu.shortage.ceiling} {
				*at = at.Add(-still) // what all was before the process stood still
			}
			w.mu.Unlock()
			l.tick()
		})
	}); err != nil {
		t.Fatal(err)
	}
}

// Nor is it counted when the turn ends before the timer of its limit has come.
func TestStandstillOfAShortTurn(t *testing.T) {
	l := newLoop(t, Options{Name: "stopped"})
	if err := l.Do(context.Background(), func() {
		s := l.NewScope(context.Background(), nil, nil)
		s.LimitCPU(time.Hour, nil)
		s.Run(func() {
			l.watch.mu.timer.Stop()
			for begun := time.Now(); time.Since(begun) < 10*lookEvery; {
			}
		})
		if s.CPU() > firstWait {
			t.Errorf("a turn whose process stood still has taken %v", s.CPU())
		}
	}); err != nil {
		t.Fatal(err)
	}
}
