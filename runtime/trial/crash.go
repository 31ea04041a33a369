package trial

import "errors"

// errCrash is why events end at a crash.
var errCrash = errors.New("The Worker crashed.")

// mayCrash tells whether a crash would be told to nobody: the test has got the responses to all of its requests.
func (t *Trial) mayCrash() bool { return t.unanswered.Load() == 0 }

// crash ends what a killed process would lose, one Worker after the other: the events in flight, the instances of
// objects, outcomes of deliveries that the queues do not have yet. What is stored stays, and so do the variables of
// modules. It does not wait.
func (t *Trial) crash() { t.crashFrom(t.run.Workers()) }

func (t *Trial) crashFrom(names []string) {
	if len(names) == 0 {
		t.clock.Crash()
		return
	}
	iso := t.run.Worker(names[0]).Isolate
	iso.Loop.Post(func() {
		iso.AbortOthers(nil, errCrash)
		t.run.Objects().Crash(iso)
		t.crashFrom(names[1:])
	})
}
