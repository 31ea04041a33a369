package runtimetest

import "errors"

// errCrash is why events end at a crash.
var errCrash = errors.New("The Worker crashed.")

// mayCrash tells whether a crash would be told to nobody: the test has got the responses to all of its requests.
func (s *Session) mayCrash() bool { return s.unanswered == 0 }

// crash ends what a killed process would lose, one Worker after the other: the events in flight, the instances of
// objects, outcomes of deliveries that the queues do not have yet. What is stored stays, and so do the variables of
// modules. It does not wait.
func (s *Session) crash() { s.crashFrom(s.run.Workers()) }

func (s *Session) crashFrom(names []string) {
	if len(names) == 0 {
		s.clock.Crash()
		return
	}
	iso := s.run.Worker(names[0]).Isolate
	iso.Loop.Post(func() {
		iso.AbortOthers(nil, errCrash)
		s.run.Objects().Crash(iso)
		s.crashFrom(names[1:])
	})
}
