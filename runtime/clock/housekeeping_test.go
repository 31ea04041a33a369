package clock

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Housekeeping fires in its turn, after what is due at the same instant, and is no next event.
func TestHousekeeping(t *testing.T) {
	v := NewVirtual(start(), 1)
	var log []string
	note := func(s string) func() {
		return func() { log = append(log, fmt.Sprint(s, v.Now().Sub(start()))) }
	}
	hold := v.Hold("a test")
	Housekeeping(v, time.Minute, note("chore"))
	if at, ok := v.Next(); ok {
		t.Errorf("next is %v, expected nothing", at)
	}
	stopped := Housekeeping(v, time.Second, note("never"))
	v.AfterFunc(time.Hour, note("event"))
	v.AfterFunc(time.Minute, note("first"))
	if at, ok := v.Next(); !ok || !at.Equal(start().Add(time.Minute)) {
		t.Errorf("next is %v, expected the first event in a minute", at)
	}
	if !stopped.Stop() || stopped.Stop() {
		t.Error("Stop did not take the chore away once")
	}
	hold()
	if err := v.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(log, " "); got != "first1m0s chore1m0s event1h0m0s" {
		t.Error(got)
	}
}
