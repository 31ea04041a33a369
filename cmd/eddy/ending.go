package main

import (
	"context"
	"time"
)

// endingGrace bounds how long the process waits, once it was told to end, for a start or a stop that cannot be
// interrupted: a bundler at a huge file, arithmetic with huge numbers. What was acknowledged is on disk by then, so
// ending without them loses as much as kill -9 does: nothing.
const endingGrace = 1500 * time.Millisecond

// outlast waits for f, but not for longer than endingGrace after ctx has ended; ok is false then.
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
