package session

import (
	"context"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// startGeneration starts a service anew. Nothing is attached to the new generation, and it does not serve yet.
func (s *Session) startGeneration(
	ctx context.Context, svc *service, cfg *wrangler.Config, b *bundle.Bundle, number int,
) (*generation, error) {
	if g, err := s.goAhead(ctx, svc, cfg, b, number); g != nil || err != nil {
		return g, err
	}
	g := &generation{config: cfg, bundle: b, number: number, replaced: make(chan struct{}),
		stuck: make(chan struct{})}
	var err error
	if g.site, err = openSite(cfg); err != nil {
		return nil, &StartError{svc.name, err}
	}
	s.warnOfRules(g.site)
	o, err := s.workerOptions(svc, g)
	if err != nil {
		return nil, &StartError{svc.name, err}
	}
	if g.Worker, err = worker.Start(ctx, o); err != nil {
		return nil, &StartError{svc.name, err}
	}
	return s.started(svc, g)
}

// drainGrace is how long a generation that was replaced may go on with what it has in flight.
const drainGrace = 5 * time.Second

// retire ends a generation that serves no longer: nothing new comes to it, and it is closed when what it has in flight
// is over or the grace period ends.
func (s *Session) retire(g *generation) { s.retireIsolate(g.Worker, func() { g.spared() }) }

// retireIsolate does what retire does for a Worker that need not be a generation of a service, and calls after.
func (s *Session) retireIsolate(w *worker.Worker, after func()) {
	end := func() {
		ctx, cancel := clock.WithPatience(s.giveUp, drainGrace)
		defer cancel()
		_ = w.Drain(ctx) // what still runs after the grace is given up
		w.Loop.Cut()
		w.Close()
		after()
	}
	if !s.tasks.Go(end) {
		end()
	}
}
