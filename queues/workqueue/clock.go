package queue

import "time"

// Clock abstracts time, so that tests can set it. [RealClock] is the machine's clock; queuetest has one that is moved
// by hand.
type Clock interface {
	Now() time.Time
	// NewTimer makes a timer that fires once, d from now; at once if d is not positive.
	NewTimer(d time.Duration) Timer
}

// Timer mirrors time.Timer, minus what queues do not need.
type Timer interface {
	// C receives the time when the timer fires.
	C() <-chan time.Time
	// Stop returns true if the call stops the timer, false if it has fired or was stopped before.
	Stop() bool
	// Reset lets the timer fire d from now, and returns what Stop would have returned. C then delivers nothing that is
	// older.
	Reset(d time.Duration) bool
}

// RealClock is the clock of the machine.
func RealClock() Clock { return realClock{} }

type realClock struct{}

func (realClock) Now() time.Time                 { return time.Now() }
func (realClock) NewTimer(d time.Duration) Timer { return realTimer{time.NewTimer(d)} }

type realTimer struct{ *time.Timer }

func (t realTimer) C() <-chan time.Time { return t.Timer.C }
