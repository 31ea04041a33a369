package session

import (
	"context"

	"eddy/runtime/worker"
	"eddy/wrangler"
)

// tracer returns a function that sends the traces of a Worker's events to its tail consumers in this session, or nil if
// there are none. Tail consumers in other sessions get nothing, and the banner says so.
func (s *Session) tracer(cfg *wrangler.Config) func(*worker.Trace) {
	var consumers []*service
	for _, c := range cfg.TailConsumers {
		if svc := s.byName[c.Service]; svc != nil {
			consumers = append(consumers, svc)
		}
	}
	if len(consumers) == 0 {
		return nil
	}
	return func(t *worker.Trace) {
		for _, svc := range consumers {
			if g := svc.live(); g != nil {
				g.Dispatch(context.Background(), &worker.Tail{Traces: []*worker.Trace{t}}, worker.DispatchOptions{})
			}
		}
	}
}
