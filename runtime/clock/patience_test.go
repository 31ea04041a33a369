package clock

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// The time is the one that was asked for.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := WithPatience(t.Context(), 10*time.Second)
		defer cancel()
		<-ctx.Done()
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it ended after %s", took)
		}
		if err := context.Cause(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("its cause is %v", err)
		}
		ctx, cancel = WithPatience(t.Context(), 10*time.Second)
		cancel()
		if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("the cause of the end is %v", err)
		}
	})
}

// stopped is the clock of a process that stands still between its timers: each that is due fires when the process goes
// on, whatever time it is then.
type stopped struct {
	Real
	due []func()
}

func (s *stopped) AfterFunc(_ time.Duration, f func()) Timer {
	s.due = append(s.due, f)
	return time.NewTimer(time.Hour) // for Stop
}

// However long the process stands still, it is one step of many: between two of them all else gets its turn.
func TestPatienceOfAStoppedProcess(t *testing.T) {
	s := &stopped{}
	ctx, cancel := withPatience(t.Context(), s, time.Second)
	defer cancel()
	for n := range patienceSteps {
		if ctx.Err() != nil || len(s.due) != 1 {
			t.Fatalf("after %d steps: %v, %d timers", n, ctx.Err(), len(s.due))
		}
		due := s.due
		s.due = nil
		due[0]()
	}
	if ctx.Err() == nil || len(s.due) != 0 {
		t.Errorf("after all steps: %v, %d timers", ctx.Err(), len(s.due))
	}
}
