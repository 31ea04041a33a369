package session

import (
	"context"
	"fmt"

	"eddy/queues"
	"eddy/runtime/report"
	"eddy/wrangler"
)

// tellUnnamed warns of queues that hold messages and that no configuration of the session names: most often a queue was
// renamed in its configuration, and what waited under the old name waits on. Each finding is told once in a session. A
// session with guests says nothing, because theirs are unknown to it, and neither does a guest.
func (s *Session) tellUnnamed(ctx context.Context, named queues.Topology) error {
	broker := s.queues.Broker()
	if s.opts.Warned || broker == nil || len(s.queues.Guests()) > 0 {
		return nil
	}
	known := map[string]bool{}
	for _, q := range named.Queues {
		known[q] = true
	}
	for _, c := range named.Consumers {
		known[c.Queue], known[c.DeadLetterQueue] = true, true
	}
	all, err := broker.Queues(ctx)
	if err != nil {
		return err
	}
	var empty []string // named, and without messages: what a new name looks like
	for _, q := range all {
		if known[q.Name] && q.Metrics.BacklogCount == 0 {
			empty = append(empty, q.Name)
		}
	}
	for _, q := range all {
		if known[q.Name] || q.Consumer != nil || q.Metrics.BacklogCount == 0 {
			continue
		}
		text := fmt.Sprintf("queue %q holds %d messages, and no Worker here names it", q.Name, q.Metrics.BacklogCount)
		if q.Metrics.BacklogCount == 1 {
			text = fmt.Sprintf("queue %q holds a message, and no Worker here names it", q.Name)
		}
		if _, told := s.told.LoadOrStore("\x00"+text, true); told {
			continue
		}
		if to := wrangler.DidYouMean(q.Name, empty); to != "" {
			text += fmt.Sprintf("; was it renamed to %q?", to)
		}
		s.lines.Line(report.Warn, "queue", fmt.Sprintf("%s (eddy queues peek %s, or purge, or delete)", text, q.Name),
			report.F("queue", q.Name))
	}
	return nil
}
