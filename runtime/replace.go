package runtime

import (
	"context"
	"fmt"
	"runtime/debug"

	"eddy/runtime/report"
)

// replace starts a generation anew, with the same code and configuration, because its isolate can no longer be relied
// on. It returns at once and may be called on the isolate's loop.
func (s *Server) replace(svc *service, g *generation) {
	select {
	case <-s.stopping:
		return
	default:
	}
	s.background.Add(1)
	go func() {
		defer s.background.Done()
		s.replaceNow(svc, g)
	}()
}

// replaceNow is replace, and waits until the new isolate serves. What the old one has in flight and can still end is
// given the grace of a reload.
func (s *Server) replaceNow(svc *service, g *generation) {
	s.reloadMu.Lock()
	defer s.reloadMu.Unlock()
	select {
	case <-s.stopping:
		return
	default:
	}
	if svc.live() != g { // still starting, or replaced already
		return
	}
	next, err := svc.start(context.Background(), g.config, g.bundle, g.number+1)
	if err == nil {
		svc.swap(next)
		s.background.Add(1)
		go func() {
			defer s.background.Done()
			<-g.Loop.Stopped()
			debug.FreeOSMemory() // it may have been given up for its size
		}()
		err = s.connectService(svc, next)
	}
	if err != nil {
		s.report.Line(report.Error, "restart", s.explain(err)+"\n"+s.report.Paint("dim", "The isolate from before goes on."), report.F("worker", svc.name), report.F("ok", false))
		return
	}
	s.report.Line(report.Warn, "restart", fmt.Sprintf("Restarted %s: its isolate could not be relied on any more", svc.name), report.F("worker", svc.name), report.F("ok", true))
}
