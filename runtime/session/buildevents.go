package session

import (
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

// fire tells of a build. The builds of the start end before anybody hears of them; tellFirstBuilds tells of them.
func (s *Session) fire(b control.Build) {
	if !s.connected {
		return
	}
	s.sharing.Fire(b.Event(), func(err error) {
		if err != nil {
			s.lines.Line(report.Warn, "control", fmt.Sprintf("%s of %s was not told to its subscribers: %v",
				b.Event().Event, b.Worker, err))
		}
	})
}

// tellFirstBuilds tells of the builds that the session began with.
func (s *Session) tellFirstBuilds() {
	s.connected = true
	for _, svc := range s.services {
		s.endBuild(s.beginBuild(svc.name), nil)
	}
}
