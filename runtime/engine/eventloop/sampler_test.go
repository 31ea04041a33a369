package eventloop

import (
	"context"
	"testing"
	"time"
)

// A sampler sees what a turn computes, and nothing while the loop waits or a person holds the turn up. What a person
// takes is on no account.
func TestSampler(t *testing.T) {
	l := New(Options{Name: "sampled"})
	defer l.Stop()
	s := l.Sampler()
	if got := s.Look(); got.Turn != 0 || got.Stack != nil {
		t.Errorf("a loop that waits: %+v", got)
	}
	held, ended := make(chan struct{}), make(chan bool, 2)
	l.Post(func() {
		scope := l.NewScope(context.Background(), nil, nil)
		scope.LimitCPU(100*time.Millisecond, func() { ended <- true })
		scope.Run(func() {
			resume := l.Suspend()
			close(held)
			for begun := time.Now(); time.Since(begun) < 300*time.Millisecond; { // longer than the limit
				if got := s.Look(); got.Turn != 0 {
					t.Errorf("a turn that is held up: %+v", got)
				}
			}
			resume()
		})
		l.AtTurnEnd(func() { ended <- false })
	})
	<-held
	if <-ended {
		t.Error("the limit has counted what a person took")
	}
	stop := make(chan struct{})
	l.Post(func() {
		scope := l.NewScope(context.Background(), nil, nil)
		scope.LimitCPU(time.Hour, nil)
		scope.Run(func() {
			if err := l.Runtime().Set("more", func() bool {
				select {
				case <-stop:
					return false
				default:
					return true
				}
			}); err != nil {
				t.Error(err)
			}
			if _, err := l.Runtime().RunScript("shop.js", "function spin() { while (more()); }\nspin()"); err != nil {
				t.Error(err)
			}
		})
	})
	for {
		got := s.Look()
		if len(got.Stack) < 2 {
			continue // not there yet, or still in the script that calls it
		}
		names := map[string]bool{}
		for i := range got.Stack {
			names[got.Stack[i].FuncName()] = true
		}
		if got.Turn == 0 || !names["spin"] {
			t.Errorf("%+v", names)
		}
		break
	}
	close(stop)
}
