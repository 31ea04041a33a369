package clock

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Whoever waits for a clock that stands still learns who holds it.
func TestStall(t *testing.T) {
	v := NewVirtual(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC), 1)
	v.Pause()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	release := v.Hold("an upload")
	v.Hold("a request of shop")
	again := v.Hold("a request of shop")
	v.Participant("broker").Ready()
	const want = "virtual time stands at 2026-04-01 12:00:00.000, held by a request of shop (2 times), an upload, " +
		"broker, which has work: context canceled"
	err := v.Advance(gone, time.Hour)
	if err == nil || err.Error() != want || !errors.Is(err, context.Canceled) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	release()
	release() // only the first call counts
	again()
	var stall *StallError
	if err := v.WaitIdle(gone); !errors.As(err, &stall) || len(stall.Holders) != 2 {
		t.Errorf("got %v", err)
	}
}

// Waiting for a clock to run dry on which a timer always follows is told as that.
func TestStallOfTimers(t *testing.T) {
	v := NewVirtual(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC), 1)
	ctx, cancel := context.WithCancel(t.Context())
	fired, seen := 0, make(chan struct{})
	var again func()
	again = func() {
		if fired++; fired > 100 {
			return
		}
		v.AfterFunc(time.Minute, again)
		if fired == 100 {
			cancel()
			<-seen
		}
	}
	again()
	var stall *StallError
	if err := v.WaitIdle(ctx); !errors.As(err, &stall) || stall.Next.IsZero() {
		t.Errorf("got %v", err)
	}
	close(seen)
}
