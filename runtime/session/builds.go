package session

import (
	"context"
	"errors"
	"reflect"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// calmAfter is how long what nobody waits for is put off after the start, of the machine's time: the first requests
// come then, and would share the processors with a build.
const calmAfter = 30 * time.Millisecond

// serveBuilds is the goroutine that builds after the start: nobody else uses the builders of services until it has
// ended.
func (s *Session) serveBuilds(reload func(context.Context, *service) error) {
	for _, svc := range s.services {
		defer s.dropAhead(svc)
	}
	calm := time.After(calmAfter)
	for {
		select {
		case <-calm:
			for _, svc := range s.services {
				s.runAhead(svc)
				s.prove(svc, reload)
			}
		case p := <-s.proofs:
			if s.proved(p) {
				_ = reload(s.stopping, p.service) // it tells the user
				s.runAhead(p.service)
				s.settle(p.service, reload)
			}
			p.service.build.keep()
		case r := <-s.requests:
			if r.late() {
				continue
			}
			ctx, cancel := context.WithCancel(r.ctx)
			unlink := context.AfterFunc(s.stopping, cancel)
			r.service.build.mayBe = !r.changed.IsZero()
			err := reload(ctx, r.service)
			r.service.build.mayBe = false
			unlink()
			cancel()
			if r.done != nil {
				r.done <- err
			}
			if errors.Is(err, errOvertaken) {
				r.service.build.fresh = nil // half of something
				continue
			}
			s.runAhead(r.service)
			s.settle(r.service, reload)
			s.beginProof(r.service, false)
			r.service.build.keep()
		case <-s.stopping.Done():
			return
		}
	}
}

// late tells whether the last reload has seen what the request is for: a change just after the start is also found by
// prove, and one between a build and its watcher by settle.
func (r buildRequest) late() bool {
	b := &r.service.build
	return !r.changed.IsZero() && r.changed.Before(b.reloaded) && !b.stale.Load()
}

// prove begins the proof of a service that was started with the bundle of an earlier session. Files that were written
// after the start had read them, while nothing followed them, are built again at once. What was built at the start is
// kept for later sessions.
func (s *Session) prove(svc *service, reload func(context.Context, *service) error) {
	if s.stopping.Err() != nil {
		return
	}
	g, b := svc.live(), &svc.build
	switch {
	case g == nil:
	case s.reconfigured(svc):
		_ = reload(s.stopping, svc) // it tells the user
		s.runAhead(svc)
	case b.unproved:
	case s.opts.Watch && b.fresh != nil && bundle.Moved(b.fresh.Inputs, b.began):
		if out, err := b.build(); err != nil || !out.Same(g.bundle) {
			b.shelf.Drop(b.made)
			_ = reload(s.stopping, svc)
			s.runAhead(svc)
		} else {
			s.rewatch(svc, out, nil)
		}
	}
	s.beginProof(svc, false)
	b.keep()
}

// reconfigured tells whether a configuration was written while the session started, and says something else now.
func (s *Session) reconfigured(svc *service) bool {
	if !s.opts.Watch || !bundle.Moved(configFiles(svc.build.config), s.began) {
		return false
	}
	in := svc.input
	in.options.Now = s.opts.today()
	cfg, diags := in.load()
	return diags.HasErrors() || !reflect.DeepEqual(cfg, svc.build.config)
}

// settle builds once more where a reload was built of doubtful files, and reloads if that gives something else.
func (s *Session) settle(svc *service, reload func(context.Context, *service) error) {
	g, b := svc.live(), &svc.build
	if !b.doubtful || b.bundler == nil || s.stopping.Err() != nil {
		return
	}
	b.doubtful = false
	if out, err := b.build(); err == nil && (g == nil || !out.Same(g.bundle)) {
		_ = reload(s.stopping, svc)
	}
}

// ask lets the goroutine that builds reload a service, and waits for it.
func (s *Session) ask(ctx context.Context, svc *service) error {
	r := buildRequest{service: svc, ctx: ctx, done: make(chan error, 1)}
	select {
	case s.requests <- r:
		return <-r.done
	case <-ctx.Done():
		return ctx.Err()
	case <-s.stopping.Done():
		return errNotRunning
	}
}

// bundle builds a service as its files are now. The custom build runs first if its sources or the command itself have
// changed since it ran, or if it never did.
func (s *Session) bundle(ctx context.Context, svc *service, cfg *wrangler.Config) (*bundle.Bundle, error) {
	last := svc.build.config
	if svc.build.stale.Swap(false) || last == nil ||
		cfg.Build.Command != last.Build.Command || cfg.Build.Cwd != last.Build.Cwd {
		if err := s.customBuild(ctx, cfg); err != nil {
			svc.build.stale.Store(true)
			if last == nil {
				svc.build.config = cfg
			}
			return nil, err
		}
		svc.build.seen = s.watchers.seen(svc) // the command has written files
	}
	o := s.bundleOptions(svc, cfg)
	if cfg.Main == "" {
		var err error
		if o.Entry, err = s.filesOnlyEntry(); err != nil {
			return nil, err
		}
	}
	if s.opts.Program != nil {
		script, err := s.opts.Program(cfg, o)
		if err != nil {
			return nil, err
		}
		if script != nil {
			svc.script = script
			return script.Bundle, nil
		}
	}
	b, err := svc.build.bundle(cfg, o)
	if err == nil && b.Packages != nil {
		s.tasks.Go(func() { worker.CompilePackages(b) }) // beside the rest of the way to an isolate that runs them
	}
	return b, err
}

// bundleOptions are those of a service's bundle, if its configuration has an entry.
func (s *Session) bundleOptions(svc *service, cfg *wrangler.Config) bundle.Options {
	o := bundleOptions(cfg, s.virtualModules(svc, cfg))
	o.Stops = s.opts.Inspector != nil
	o.Apart = s.opts.Watch // a start takes longer by it, and only reloads gain
	return o
}
