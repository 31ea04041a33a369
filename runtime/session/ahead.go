package session

import (
	"context"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// stands tells whether an isolate of a configuration is the same, whenever it is made.
func stands(cfg *wrangler.Config) bool {
	return cfg.VersionMetadata == nil && cfg.Site == nil && len(cfg.Blobs) == 0
}

// dear is how long packages run that are worth another isolate.
func (o *Options) dear() time.Duration {
	if o.Dear == 0 {
		return 20 * time.Millisecond
	}
	return o.Dear
}

// runAhead lets packages run for the next reload, unless they do already. It is called after the start and after each
// reload, by the goroutine that builds, and does not wait for them.
func (s *Session) runAhead(svc *service) {
	svc.changing.Lock()
	defer svc.changing.Unlock()
	g, b := svc.live(), svc.build.newest
	if !s.opts.Watch || s.opts.Random != nil || s.stopping.Err() != nil || g == nil || b == nil || b.Leading == 0 {
		return
	}
	if b.Packages == svc.refused || g.PackagesTook() < s.opts.dear() || !stands(g.config) {
		return
	}
	if svc.ahead != nil && svc.ahead.fits(g.config, b) {
		return
	}
	s.drop(svc.ahead)
	svc.ahead = nil
	next := &generation{config: g.config, bundle: b, ahead: true, replaced: make(chan struct{}),
		stuck: make(chan struct{})}
	var err error
	if next.site, err = openSite(g.config); err != nil {
		return // a reload will say so
	}
	o, err := s.workerOptions(svc, next)
	if err != nil {
		return
	}
	a := &ahead{g: next, made: make(chan struct{})}
	ctx, cancel := context.WithCancel(s.stopping)
	a.cancel = cancel
	if s.tasks.Go(func() {
		a.worker, a.err = worker.StartAhead(ctx, o)
		close(a.made)
	}) {
		svc.ahead = a
	} else {
		cancel()
	}
}

// dropAhead gives up what a service has for the next reload.
func (s *Session) dropAhead(svc *service) {
	svc.changing.Lock()
	defer svc.changing.Unlock()
	s.drop(svc.ahead)
	svc.ahead = nil
}

// drop gives a up; nil is nothing.
func (s *Session) drop(a *ahead) {
	if a == nil {
		return
	}
	a.cancel()
	end := func() {
		<-a.made
		if a.worker != nil {
			a.worker.Close()
		}
	}
	if !s.tasks.Go(end) {
		end()
	}
}

// goAhead starts a generation in the isolate in which the packages have run, if there is one that fits. Without one it
// gives nil. The caller holds changing, but for the first start.
func (s *Session) goAhead(
	ctx context.Context, svc *service, cfg *wrangler.Config, b *bundle.Bundle, number int,
) (*generation, error) {
	a := svc.ahead
	if a == nil {
		return nil, nil
	}
	svc.ahead = nil
	site, err := openSite(cfg)
	if err != nil || !a.fits(cfg, b) || !a.g.site.Same(site) {
		s.drop(a)
		return nil, nil
	}
	select {
	case <-a.made:
	case <-ctx.Done():
		s.drop(a)
		return nil, ctx.Err()
	}
	if a.err != nil || !a.worker.Fits(b) {
		svc.refused = b.Packages
		s.drop(a)
		return nil, nil
	}
	s.warnOfRules(a.g.site)
	g := a.g
	g.bundle, g.number = b, number
	a.cancel()
	if g.Worker, err = a.worker.Start(ctx, svc.scriptOf(b)); err != nil {
		return nil, &StartError{svc.name, err}
	}
	return s.started(svc, g)
}
