package sharing

import (
	"fmt"
	"strings"

	"eddy/runtime/report"
	"eddy/runtime/sharing/peer"
)

// Banner returns the banner's lines about other sessions. Nodes of a cluster all run the same, and have a line of their
// own: none here.
func (s *Sharing) Banner() string {
	var b strings.Builder
	if s.o.Cluster != nil {
		return ""
	}
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
		if e.Session.Node != "" {
			text = fmt.Sprintf("The cluster has %s", e.Session)
		}
	case peer.Left:
		select {
		case <-s.ending:
			return // this session itself is leaving
		default:
		}
		text = fmt.Sprintf("Process %d left with %s; messages for its consumers wait", e.Session.PID, e.Session.Names())
		if e.Session.Node != "" {
			text = fmt.Sprintf("The cluster has lost %s", e.Session)
		}
	case peer.Lost:
		level, text = report.Warn, fmt.Sprintf("The session that owns the queues (%s) has ended", e.Session)
		if e.Session.Node != "" {
			text = fmt.Sprintf("The queues have left %s", e.Session)
		}
	case peer.Took:
		text = "This session owns the queues now"
		if s.o.Cluster != nil {
			text = "The queues are here now"
		}
	case peer.Found:
		text = fmt.Sprintf("Joined %s, which owns the queues now", e.Session)
		if e.Session.Node != "" {
			text = fmt.Sprintf("The queues are at %s now", e.Session)
		}
	case peer.Failed:
		level, text = report.Error, fmt.Sprintf("queues: %v", e.Err)
	}
	s.o.Report.Line(level, "peer", text, report.F("event", string(e.Kind)), report.F("pid", e.Session.PID),
		report.F("url", e.Session.URL), report.F("workers", e.Session.Names()))
}
