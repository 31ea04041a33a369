package eventloop

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Heavy work waits for a slot of its isolate, not of another; what waits ends with its event.
func TestHeavy(t *testing.T) {
	flooded, other := newLoop(t, Options{Name: "flooded"}), newLoop(t, Options{Name: "other"})
	ctx, end := context.WithCancel(context.Background())
	begun, finish, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	for range heavySlots() {
		go func() { ended <- flooded.Heavy(context.Background(), func() { begun <- struct{}{}; <-finish }) }()
	}
	for range heavySlots() {
		<-begun
	}
	late := make(chan error)
	for range 100 {
		go func() { late <- flooded.Heavy(ctx, func() { t.Error("it ran in spite of the flood") }) }()
	}
	ran := false
	if err := other.Heavy(context.Background(), func() { ran = true }); err != nil || !ran {
		t.Errorf("the neighbour: %v, %v", ran, err)
	}
	end()
	for range 100 {
		if err := <-late; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	close(finish)
	for range heavySlots() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// Synchronous work that turns have left behind when a limit ended them keeps its slot. What comes then waits, and the
// limit ends that, too, without its work.
func TestAwaitLeftBehind(t *testing.T) {
	l := newLoop(t, Options{Name: "flooded"})
	begun, finish, ended := make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)
	turn := func(work func()) (interrupted bool) {
		t.Helper()
		err := l.Do(context.Background(), func() {
			_ = l.Runtime().Set("wait", func() { l.Await(work) })
			s := l.NewScope(context.Background(), nil, nil)
			s.LimitCPU(time.Hour, nil)
			s.Run(func() {
				_, err := l.Runtime().RunString(`wait()`)
				interrupted = err != nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return interrupted
	}
	for range heavySlots() {
		go func() { <-begun; l.Cut() }()
		if !turn(func() { begun <- struct{}{}; <-finish; ended <- struct{}{} }) {
			t.Error("work that does not end was waited for")
		}
	}
	if !turn(func() { t.Error("it ran in spite of what was left behind") }) { // the loop is cut: it has a moment
		t.Error("nothing has ended the wait")
	}
	close(finish)
	for range heavySlots() {
		<-ended
	}
}
