package clock

import (
	"testing"
	"time"
)

// A timer that time has crept past fires at the time that is then, and time never goes back.
func TestCreep(t *testing.T) {
	start := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	v := NewVirtual(start, 1)
	resume := v.Pause()
	var fired time.Time
	v.AfterFunc(time.Second, func() { fired = v.Now() })
	for range 1500 {
		Creep(v, time.Millisecond)
	}
	if now := v.Now(); now.Sub(start) != 1500*time.Millisecond {
		t.Errorf("it is %v", now)
	}
	resume()
	if err := v.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if fired.Sub(start) != 1500*time.Millisecond {
		t.Errorf("the timer fired at %v", fired)
	}
	Creep(Real{}, time.Hour) // goes on by itself
}
