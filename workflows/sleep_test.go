package workflows

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"eddy/runtime/clock"
)

// standing is the clock of a machine that may stand still.
type standing struct {
	*clock.Virtual
	still atomic.Int64
}

func (s *standing) Now() time.Time { return s.Virtual.Now().Add(time.Duration(s.still.Load())) }

// napper is a runner whose machine stands still for a second right after its life has asked for a sleep.
type napper struct {
	clock *standing
	in    time.Duration // from now to the end of the sleep
	slept chan Begun
	ended chan error
}

// Run implements [Runner].
func (s *napper) Run(l *Life) (Stop, bool) {
	at := s.clock.Now().Add(s.in).UnixMilli()
	l.SleepUntil(StepID{Kind: Sleep, Name: "nap", Count: 1}, at, func(b Begun, err error) {
		if err != nil {
			s.ended <- err
			return
		}
		s.slept <- b
	})
	s.clock.still.Add(int64(time.Second))
	return func(reason error, _ int) { l.Ended(reason) }, true
}

// Whether a time is over is decided when the script asks for it: FLOW-51.
func TestSleepUntil(t *testing.T) {
	for in, past := range map[time.Duration]bool{-time.Millisecond: true, 50 * time.Millisecond: false} {
		c := &standing{Virtual: clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), 1)}
		w := Open(Options{Name: "flow", Path: filepath.Join(t.TempDir(), "flow.sqlite"), Clock: c, Relaxed: true,
			Failed: func(err error) { t.Error(err) }})
		s := &napper{clock: c, in: in, slept: make(chan Begun, 1), ended: make(chan error, 1)}
		w.Attach(s)
		errs, err := Call(w, func(done func([]error, error)) { w.Create([]New{{ID: "a", Shown: "{}"}}, done) })
		if err != nil || errs[0] != nil {
			t.Fatal(err, errs)
		}
		select {
		case b := <-s.slept:
			if b.Past != past {
				t.Errorf("a time in %v is over: %v", in, b.Past)
			}
		case err := <-s.ended:
			t.Error(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}
