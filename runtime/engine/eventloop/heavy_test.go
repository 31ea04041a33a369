package eventloop

import (
	"context"
	"errors"
	"testing"
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
