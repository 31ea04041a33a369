package clock

import (
	"context"
	"testing"
	"time"
)

// A clock is dead when its last timer has fired, unless somebody waits for the outside, or the caller has gone.
func TestWaitDead(t *testing.T) {
	v := NewVirtual(start(), 1)
	fired := false
	v.AfterFunc(time.Hour, func() { fired = true })
	if !v.WaitDead(t.Context()) || !fired {
		t.Error("not dead, or before its timer")
	}
	back := Outside(v)
	if v.WaitDead(t.Context()) {
		t.Error("dead, though somebody waits for the outside")
	}
	back()
	back()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v.WaitDead(ctx) {
		t.Error("dead for one who has gone")
	}
}
