package sharing

import (
	"fmt"
	"strings"

	"eddy/runtime/report"
	"eddy/runtime/sharing/peer"
)

// Banner returns the banner's lines about other sessions.
func (s *Sharing) Banner() string {
	var b strings.Builder
	if owner, ok := s.Queues.Owner(); ok {
		fmt.Fprintf(&b, "Joined %s, which runs %s\n", owner, owner.Names())
		fmt.Fprintf(&b, "%s\n", s.o.Report.Paint("dim", "  shared: queues, dead letters and lanes; "+
			"service bindings and Durable Objects of the other session are reached by fetch() and RPC"))
	}
	for _, g := range s.Queues.Guests() {
		fmt.Fprintf(&b, "Shared with %s, which runs %s\n", g, g.Names())
	}
	return b.String()
}

// changed tells the user what happens to other sessions.
func (s *Sharing) changed(e peer.Change) {
	level, text := report.Info, ""
	switch e.Kind {
	case peer.Joined:
		text = fmt.Sprintf("Process %d joined with %s", e.Session.PID, e.Session.Names())
	case peer.Left:
		select {
		case <-s.ending:
			return // this session itself is leaving
		default:
		}
		text = fmt.Sprintf("Process %d left with %s; messages for its consumers wait", e.Session.PID, e.Session.Names())
	case peer.Lost:
		level, text = report.Warn, fmt.Sprintf("The session that owns the queues (%s) has ended", e.Session)
	case peer.Took:
		text = "This session owns the queues now"
	case peer.Found:
		text = fmt.Sprintf("Joined %s, which owns the queues now", e.Session)
	case peer.Failed:
		level, text = report.Error, fmt.Sprintf("queues: %v", e.Err)
	}
	s.o.Report.Line(level, "peer", text, report.F("event", string(e.Kind)), report.F("pid", e.Session.PID),
		report.F("url", e.Session.URL), report.F("workers", e.Session.Names()))
}
