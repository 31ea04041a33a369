package session

import (
	"context"

	"eddy/runtime/worker"
	"eddy/wrangler"
)

// tracer returns a function that sends the traces of a Worker's events to its tail consumers, in this session and in
// those that share its state directory, or nil if it has none.
func (s *Session) tracer(cfg *wrangler.Config) func(*worker.Trace) {
	var consumers []*service
	var away []string
	for _, c := range cfg.TailConsumers {
		if svc := s.byName[c.Service]; svc != nil {
			consumers = append(consumers, svc)
		} else {
			away = append(away, c.Service)
		}
	}
	if len(consumers)+len(away) == 0 {
		return nil
	}
	return func(t *worker.Trace) {
		for _, svc := range consumers {
			if g := svc.live(); g != nil {
				g.Dispatch(context.Background(), &worker.Tail{Traces: []*worker.Trace{t}}, worker.DispatchOptions{})
			}
		}
		for _, name := range away {
			s.sharing.Tail(name, t)
		}
	}
}

// streamer returns a function that sends the streams of a Worker's events to its streaming tail consumers in this
// session, or nil if it has none.
func (s *Session) streamer(cfg *wrangler.Config) func(worker.StreamHead) func(worker.StreamEvent) {
	var consumers []*service
	for _, c := range cfg.StreamingTailConsumers {
		if svc := s.byName[c.Service]; svc != nil {
			consumers = append(consumers, svc)
		}
	}
	if len(consumers) == 0 {
		return nil
	}
	return func(head worker.StreamHead) func(worker.StreamEvent) {
		sinks := make([]func(worker.StreamEvent), 0, len(consumers))
		for _, svc := range consumers {
			if g := svc.live(); g != nil {
				sinks = append(sinks, g.StreamTail(head))
			}
		}
		return func(e worker.StreamEvent) {
			for _, sink := range sinks {
				sink(e)
			}
		}
	}
}
