package clock

import "time"

// Clock tells the time and wakes people up. Implementations: [Real], [Virtual].
type Clock interface {
	// Now is the current time, UTC.
	Now() time.Time
	// AfterFunc calls f once, d from now (at once for d <= 0, but never before AfterFunc has returned to a lane
	// that is running). f must not block.
	AfterFunc(d time.Duration, f func()) Timer
	// Hold says that something is in flight; virtual time stands still until release is called. release may be
	// called more than once; only the first call counts.
	Hold() (release func())
	// Lane makes a serial worker known to the clock. The name must be stable from run to run: it is part of the
	// order under Virtual.
	Lane(name string) Lane
}

// Timer is a pending AfterFunc.
type Timer interface {
	// Stop reports whether the call kept the callback from running.
	Stop() bool
}

// Lane is one serial worker, see the package documentation.
type Lane interface {
	// Ready announces work. It is idempotent until the next Run, may be called from anywhere and never blocks.
	Ready()
	// Run waits for this lane's turn and runs f. Work announced by Ready before f started counts as taken up by it.
	Run(f func())
	// Close forgets the lane and any work it announced.
	Close()
}

// Real is the machine's clock. Its zero value is ready to use. Holds and lanes cost nothing.
type Real struct{}

// Now is time.Now in UTC.
func (Real) Now() time.Time { return time.Now().UTC() }

// AfterFunc is time.AfterFunc.
func (Real) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

// Hold does nothing: real time waits for nobody.
func (Real) Hold() func() { return release }

// Lane returns a lane that never waits.
func (Real) Lane(string) Lane { return realLane{} }

func release() {}

type realLane struct{}

func (realLane) Ready()       {}
func (realLane) Run(f func()) { f() }
func (realLane) Close()       {}
