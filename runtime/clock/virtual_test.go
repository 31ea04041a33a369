package clock

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func start() time.Time { return time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC) }

// Timers fire in deadline order, then in the order in which they were set, each at its own instant.
func TestVirtualOrder(t *testing.T) {
	v := NewVirtual(start(), 1)
	var mu sync.Mutex
	var log []string
	note := func(s string) func() {
		return func() { mu.Lock(); log = append(log, fmt.Sprint(s, v.Now().Sub(start()))); mu.Unlock() }
	}
	hold := v.Hold("a test")
	v.AfterFunc(time.Hour, note("b"))
	v.AfterFunc(time.Second, note("a"))
	v.AfterFunc(time.Hour, func() { note("c")(); v.AfterFunc(time.Minute, note("d")) })
	if stopped := v.AfterFunc(time.Minute, note("never")).Stop(); !stopped {
		t.Error("Stop says the timer had fired")
	}
	if !v.Now().Equal(start()) {
		t.Error("time moved while something was held")
	}
	hold()
	v.WaitIdle(t.Context())
	if got := strings.Join(log, " "); got != "a1s b1h0m0s c1h0m0s d1h1m0s" {
		t.Error(got)
	}
}

// A callback may take a lock that the caller of AfterFunc, Stop or a release holds.
func TestVirtualNeverFiresOnTheCaller(t *testing.T) {
	v := NewVirtual(start(), 1)
	var mu sync.Mutex
	n := 0
	mu.Lock()
	v.AfterFunc(0, func() { mu.Lock(); n++; mu.Unlock() })
	release := v.Hold("a test")
	release()
	mu.Unlock()
	v.WaitIdle(t.Context())
	mu.Lock()
	defer mu.Unlock()
	if n != 1 {
		t.Error(n)
	}
}

func TestVirtualPauseAndAdvance(t *testing.T) {
	v := NewVirtual(start(), 1)
	resume := v.Pause()
	var fired []time.Duration
	for _, d := range []time.Duration{time.Second, time.Minute, time.Hour} {
		v.AfterFunc(d, func() { fired = append(fired, v.Now().Sub(start())) })
	}
	v.WaitIdle(t.Context())
	if len(fired) != 0 {
		t.Fatal("fired while paused")
	}
	v.Advance(t.Context(), 2*time.Minute)
	if len(fired) != 2 || v.Now().Sub(start()) != 2*time.Minute {
		t.Fatalf("%v at %v", fired, v.Now())
	}
	resume()
	v.WaitIdle(t.Context())
	if len(fired) != 3 || fired[2] != time.Hour {
		t.Fatal(fired)
	}
}

// Participants run one at a time, and the order depends on the seed alone.
func TestVirtualParticipantsAreSeeded(t *testing.T) {
	run := func(seed uint64) string {
		v := NewVirtual(start(), seed)
		var log strings.Builder
		var wg sync.WaitGroup
		hold := v.Hold("a test")
		var participants []Participant
		for i := range 5 {
			participants = append(participants, v.Participant(fmt.Sprint("p", i)))
		}
		for _, l := range participants {
			l.Ready()
		}
		for i, l := range participants {
			wg.Go(func() { l.Run(func() { fmt.Fprint(&log, i) }) })
		}
		hold()
		wg.Wait()
		v.WaitIdle(t.Context())
		return log.String()
	}
	first := run(7)
	for range 20 {
		if got := run(7); got != first {
			t.Fatalf("seed 7 gave %s, then %s", first, got)
		}
	}
	if run(8) == first && run(9) == first && run(10) == first {
		t.Error("the seed changes nothing")
	}
}
