package eventloop

import (
	"context"
	"testing"
	"time"
)

// A scope whose process gets nothing of the processors does not compute.
func TestComputingWithoutProcessors(t *testing.T) {
	told := make(chan Computing, 1)
	l := New(Options{Name: "computing", ComputesAfter: 5 * lookEvery,
		Computes:    func(c Computing) { told <- c },
		processTime: func() (time.Duration, bool) { return 0, true }})
	defer l.Stop()
	if err := l.Do(context.Background(), func() {
		s := l.NewScope(context.Background(), "owner", nil)
		s.LimitCPU(time.Hour, nil)
		s.Run(func() {
			for begun := time.Now(); time.Since(begun) < 10*lookEvery; {
				if _, err := l.Runtime().RunString("for (let i = 0; i < 100; i++);"); err != nil {
					t.Error(err)
				}
			}
		})
	}); err != nil {
		t.Fatal(err)
	}
	if len(told) != 0 {
		t.Errorf("told of %+v", <-told)
	}
}

// What runs has its second to answer from when it is looked at, however long after it was due that was.
func TestComputingIsAskedInTime(t *testing.T) {
	var told []Computing
	l := New(Options{Name: "computing", Computes: func(c Computing) { told = append(told, c) },
		processTime: func() (time.Duration, bool) { return 0, false }})
	defer l.Stop()
	if err := l.Do(context.Background(), func() {
		due := time.Now()
		w := &l.watch
		w.mu.Lock()
		w.mu.scope = l.NewScope(context.Background(), "owner", nil)
		looked := due.Add(time.Hour)
		w.mu.computing = computingWatch{at: due, begun: due.Add(-computingAfter)}
		w.mu.shortage = shortage{planned: looked}
		w.mu.Unlock()
		l.lookAtComputing(looked)
		l.lookAtComputing(looked.Add(computingPatience - 1))
		if len(told) != 0 {
			t.Errorf("told of %+v too early", told)
		}
		l.lookAtComputing(looked.Add(computingPatience))
		if len(told) != 1 {
			t.Errorf("told %d times, want once", len(told))
		}
		w.mu.Lock()
		w.mu.scope = nil
		w.mu.Unlock()
	}); err != nil {
		t.Fatal(err)
	}
}

// Options.Computes is told once of a scope whose turns have taken long together, and once more after LimitCPU; not of a
// scope without a limit.
func TestComputing(t *testing.T) {
	told := make(chan Computing, 8)
	l := New(Options{Name: "computing", ComputesAfter: time.Nanosecond, Computes: func(c Computing) { told <- c }})
	defer l.Stop()
	do := func(fn func()) {
		t.Helper()
		if err := l.Do(context.Background(), fn); err != nil {
			t.Fatal(err)
		}
	}
	var s *Scope
	// spin computes until it is told of, or for some rounds if it must not be.
	spin := func(expected bool) {
		t.Helper()
		do(func() {
			s.Run(func() {
				for round := 0; len(told) == 0 && (expected || round < 1000); round++ {
					if _, err := l.Runtime().RunString("for (let i = 0; i < 100; i++);"); err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
	do(func() { s = l.NewScope(context.Background(), "owner", nil) })
	spin(false)
	do(func() { s.LimitCPU(time.Hour, nil) })
	spin(true)
	if got := <-told; got.Scope != s || got.For <= 0 {
		t.Errorf("%+v", got)
	}
	spin(false)
	if len(told) != 0 {
		t.Error("told twice")
	}
	do(func() { s.LimitCPU(time.Hour, nil) })
	spin(true)
	<-told
	do(func() { l.Bounded(time.Hour, func() {}, nil) })
	if len(told) != 0 {
		t.Errorf("told of a turn that did nothing: %+v", <-told)
	}
}
