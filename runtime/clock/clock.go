package clock

import "time"

// Clock tells the time and calls functions when it has come. Implementations: [Real], [Virtual].
type Clock interface {
	// Now is the current time, UTC.
	Now() time.Time
	// AfterFunc calls f once, d from now, or at once for d <= 0. A participant that is running has got the Timer
	// before f is called. f must not block.
	AfterFunc(d time.Duration, f func()) Timer
	// Hold says that something is in flight; virtual time stands still until release is called. release may be
	// called more than once; only the first call counts. reason says what it is ("an upload"), for whoever asks why
	// time does not go on.
	Hold(reason string) (release func())
	// Participant makes a serial worker known to the clock. The name must be stable from run to run: it is part of the
	// order under Virtual.
	Participant(name string) Participant
}

// Timer is a pending AfterFunc.
type Timer interface {
	// Stop reports whether the call kept the callback from running.
	Stop() bool
}

// Participant is one serial worker, see the package documentation.
type Participant interface {
	// Ready announces work. It is idempotent until the next Run, may be called from anywhere and never blocks.
	Ready()
	// Run waits for this participant's turn and runs f. f takes up all work that Ready announced before it started.
	Run(f func())
	// Close forgets the participant and any work it announced.
	Close()
}

// Real is the machine's clock. Its zero value is ready to use. Holds and participants cost nothing.
type Real struct{}

// Now is time.Now in UTC.
func (Real) Now() time.Time { return time.Now().UTC() }

// AfterFunc is time.AfterFunc.
func (Real) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

// Hold does nothing: real time waits for nobody.
func (Real) Hold(string) func() { return release }

// Participant returns a participant that never waits.
func (Real) Participant(string) Participant { return realParticipant{} }

func release() {}

type realParticipant struct{}

func (realParticipant) Ready()       {}
func (realParticipant) Run(f func()) { f() }
func (realParticipant) Close()       {}
