package session

import (
	"errors"
	"fmt"
	"runtime/debug"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/report"
	"eddy/runtime/worker"
)

// replace starts a generation anew, with the same code and configuration, because its isolate can no longer be relied
// on; why says so. It returns at once and may be called on the isolate's loop.
func (s *Session) replace(svc *service, g *generation, why error) {
	var kept *eventloop.KeptError
	if errors.As(why, &kept) { // no event has failed with it
		s.lines.outgrown(svc.name, kept)
	}
	s.tasks.Go(func() { s.replaceNow(svc, g, why) })
}

// replaceNow does what replace does, and waits until the new isolate serves. What is in flight in the old isolate may
// go on for drainGrace, as in a reload.
func (s *Session) replaceNow(svc *service, g *generation, why error) {
	svc.changing.Lock()
	defer svc.changing.Unlock()
	if svc.live() != g || s.stopping.Err() != nil { // still starting, replaced already, or about to end
		return
	}
	if err := s.exchange(s.stopping, svc, g.config, g.bundle, nil); err != nil {
		after := "The isolate from before goes on."
		var lost *lostError
		if errors.As(err, &lost) || s.stopping.Err() != nil {
			after = ""
		}
		if g.Aborted() {
			after = "The Worker answers nothing until a change of its code has helped."
			close(g.stuck)
			s.objects.Stuck(g.Isolate)
		}
		if s.stopping.Err() == nil { // else the end of the session is why
			s.lines.failed("restart", svc.name, err, after)
		}
		return
	}
	s.tasks.Go(func() {
		<-g.Loop.Stopped()
		debug.FreeOSMemory() // the old isolate may have been given up because of its size
	})
	because := "its isolate could not be relied on any more"
	var aborted *worker.IsolateAbortedError
	if errors.As(why, &aborted) {
		because = aborted.Error()
	}
	s.lines.Line(report.Warn, "restart", fmt.Sprintf("Restarted %s: %s", svc.name, because),
		report.F("worker", svc.name), report.F("ok", true))
}
