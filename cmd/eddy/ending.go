package main

import (
	"context"
	"errors"
	"time"

	"eddy/runtime/clock"
)

// endingGrace is how long the process, once told to end, still waits for a start or a stop that cannot be interrupted,
// such as bundling a huge file or computing with huge numbers. What was acknowledged is on disk by then, so ending
// without them loses nothing. A time when the process stood still counts as a moment.
const endingGrace = time.Second

// drainGrace is how much of it events in flight have. The rest is for closing what is open. It is less where tests let
// Workers loop for that long.
var drainGrace = endingGrace * 3 / 4

// outlast waits for f, but no longer than endingGrace after the end of ctx. ok is false if f has not returned by then.
func outlast[T any](ctx context.Context, f func() T) (v T, ok bool) {
	done := make(chan T, 1)
	go func() { done <- f() }()
	select {
	case v = <-done:
		return v, true
	case <-ctx.Done():
	}
	patient, cancel := clock.WithPatience(context.Background(), endingGrace)
	defer cancel()
	select {
	case v = <-done:
		return v, true
	case <-patient.Done():
		return v, false
	}
}

// late tells whether an error says no more than that the time for the end was over.
func late(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
