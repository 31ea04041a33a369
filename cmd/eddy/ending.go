package main

import (
	"context"
	"time"
)

// endingGrace is how long the process, once told to end, still waits for a start or a stop that cannot be interrupted,
// such as bundling a huge file or computing with huge numbers. What was acknowledged is on disk by then, so ending
// without them loses nothing.
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
	t := time.NewTimer(endingGrace)
	defer t.Stop()
	select {
	case v = <-done:
		return v, true
	case <-t.C:
		return v, false
	}
}
