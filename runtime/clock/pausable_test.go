package clock

import (
	"slices"
	"testing"
	"time"
)

// While the clock stands nothing falls due, and what waited keeps its distance: told by a virtual base, on which hours
// pass at once.
func TestPausable(t *testing.T) {
	start := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	base := NewVirtual(start, 1)
	defer base.Pause()() // moved by hand only
	c := NewPausable(base)
	var fired []string
	note := func(name string) func() {
		return func() { fired = append(fired, name+" "+c.Now().Sub(start).String()) }
	}
	c.AfterFunc(2*time.Second, note("a"))
	stopped := c.AfterFunc(3*time.Second, note("never"))
	forward := func(d time.Duration) {
		t.Helper()
		if err := base.Advance(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	forward(time.Second)
	resume, other := c.Pause(), c.Pause()
	c.AfterFunc(time.Second/2, note("b"))
	forward(time.Hour)
	if now := c.Now().Sub(start); now != time.Second || len(fired) > 0 {
		t.Fatalf("it is %v, fired %v", now, fired)
	}
	resume()
	resume()
	forward(time.Hour)
	if !stopped.Stop() || stopped.Stop() || len(fired) > 0 {
		t.Fatalf("fired %v", fired)
	}
	other()
	forward(10 * time.Second)
	if want := []string{"b 1.5s", "a 2s"}; !slices.Equal(fired, want) {
		t.Errorf("fired %v, want %v", fired, want)
	}
	if now := c.Now().Sub(start); now != 11*time.Second {
		t.Errorf("it is %v", now)
	}
}
