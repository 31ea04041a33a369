package clock

import (
	"testing"
	"testing/synctest"
	"time"
)

// A minute of the machine is an hour, and what is due in an hour comes after a minute, not before its time.
func TestScaled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, began := NewScaled(60), time.Now()
		first := s.Now()
		fired := make(chan time.Time)
		s.AfterFunc(time.Hour, func() { fired <- s.Now() })
		at := <-fired
		if d := at.Sub(first); d < time.Hour || d > time.Hour+time.Millisecond {
			t.Errorf("it fired after %v of its own time", d)
		}
		if d := time.Since(began); d < time.Minute || d > time.Minute+time.Millisecond {
			t.Errorf("it fired after %v of the machine's time", d)
		}
		if s.AfterFunc(time.Hour, func() { t.Error("a timer that was stopped fires") }).Stop() != true {
			t.Error("Stop says the timer had fired")
		}
		// What is longer than a duration of Go can be is still to come, and time goes on at any pace.
		late := NewScaled(0.1).AfterFunc(100*365*24*time.Hour, func() { t.Error("a century has passed") })
		time.Sleep(24 * time.Hour)
		late.Stop()
		fast := NewScaled(10_000)
		began = fast.Now()
		time.Sleep(20 * 24 * time.Hour)
		if d := fast.Now().Sub(began); d < 290*365*24*time.Hour {
			t.Errorf("%v have passed", d)
		}
	})
}
