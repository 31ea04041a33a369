package session

import (
	"context"
	"fmt"

	"eddy/runtime/control"
	"eddy/runtime/report"
)

// beginBuild and endBuild tell event subscriptions of a Worker's builds (H-23).
func (s *Session) beginBuild(worker string) control.Build {
	b := control.NewBuild(worker, s.opts.Clock.Now())
	s.fire(b)
	return b
}

func (s *Session) endBuild(b control.Build, err error) {
	b.Ended, b.Failed = s.opts.Clock.Now(), err != nil
	s.fire(b)
}

// fire does nothing while there is no control API. The builds of the start end before there is one; tellFirstBuilds
// tells of them.
func (s *Session) fire(b control.Build) {
	a := s.sharing.Control()
	if a == nil {
		return
	}
	if _, err := a.Fire(context.Background(), b.Event()); err != nil {
		s.lines.Line(report.Warn, "control", fmt.Sprintf("%s of %s was not told to its subscribers: %v",
			b.Event().Event, b.Worker, err))
	}
}

// tellFirstBuilds tells of the builds that the session began with.
func (s *Session) tellFirstBuilds() {
	for _, svc := range s.services {
		s.endBuild(s.beginBuild(svc.name), nil)
	}
}
