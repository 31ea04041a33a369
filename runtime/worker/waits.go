package worker

import (
	"fmt"
	"time"

	"eddy/runtime/clock"
)

// Waits tells of an event whose handler has not answered for long.
type Waits struct {
	// Event names it: "GET /path", or its kind.
	Event string
	// For is how long it has waited, at least [Options.WaitsAfter].
	For time.Duration
	// Timers and Calls are what it has out: timers of its own, and requests, sends and calls that have not come back.
	Timers, Calls int
}

// String says it in a sentence.
func (w Waits) String() string {
	out := "a promise of another event"
	switch {
	case w.Timers > 0 && w.Calls > 0:
		out = counted(w.Timers, "timer") + " and " + counted(w.Calls, "call")
	case w.Timers > 0:
		out = counted(w.Timers, "timer")
	case w.Calls > 0:
		out = counted(w.Calls, "call")
	}
	return fmt.Sprintf("%s has no answer after %s; its handler waits for %s", w.Event, w.For.Round(time.Second), out)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// defaultWaitsAfter is how long a handler may wait before a person is told.
const defaultWaitsAfter = 5 * time.Second

// watchWaits lets tellWaits look at the invocations in flight when the oldest has waited long enough. One timer serves
// all of the isolate. Virtual time is not watched: nobody waits for it.
func (iso *Isolate) watchWaits() {
	if iso.opts.Waits == nil || iso.waitsWatched {
		return
	}
	if _, real := iso.opts.Clock.(clock.Real); !real {
		return
	}
	iso.lookAtWaits(iso.waitsAfter())
}

func (iso *Isolate) lookAtWaits(in time.Duration) {
	iso.waitsWatched = true
	time.AfterFunc(in, func() { iso.Loop.Post(iso.tellWaits) })
}

func (iso *Isolate) waitsAfter() time.Duration {
	if iso.opts.WaitsAfter > 0 {
		return iso.opts.WaitsAfter
	}
	return defaultWaitsAfter
}

// tellWaits tells of every invocation once, and looks again when the next of those in flight has waited long enough.
func (iso *Isolate) tellWaits() {
	iso.waitsWatched = false
	if in := iso.tellWaitsAt(iso.Loop.Clock().Now()); in > 0 {
		iso.lookAtWaits(in)
	}
}

// tellWaitsAt gives how long after now the next handler will have waited long enough, 0 if none is waiting.
func (iso *Isolate) tellWaitsAt(now time.Time) (next time.Duration) {
	for inv := range iso.live {
		if inv.settled || inv.waitsTold {
			continue
		}
		waited := now.Sub(inv.Start)
		if left := iso.waitsAfter() - waited; left > 0 {
			if next == 0 || left < next {
				next = left
			}
			continue
		}
		inv.waitsTold = true
		timers := inv.Scope.Timers()
		iso.opts.Waits(Waits{Event: inv.Computing(), For: waited, Timers: timers, Calls: inv.Scope.Pending() - timers})
	}
	return next
}

// String names a request as the lines of a session do.
func (e *fetchEvent) String() string { return e.req.Method + " " + e.req.URL.RequestURI() }
