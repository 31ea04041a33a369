package session

import (
	"context"
	"errors"
	"time"

	"eddy/runtime/bundle"
)

// rest is how long a proof waits after the start and after each reload, of the machine's time: it takes all processors,
// and an edit is often followed by another. Where files are not watched there are no edits.
func (o *Options) rest() time.Duration {
	switch {
	case !o.Watch:
		return 0
	case o.Rest == 0:
		return 2 * time.Second
	}
	return o.Rest
}

// beginProof lets a service be proved that needs it, once the packages that run ahead have done so. It is called by the
// goroutine that builds.
func (s *Session) beginProof(svc *service, again bool) {
	b := &svc.build
	if !b.unproved || b.failed || b.proving || b.bundler == nil || s.stopping.Err() != nil {
		return
	}
	bundler, err := newBundler(b.made)
	if err != nil {
		return // a reload says so
	}
	p := &proof{service: svc, bundler: bundler, options: b.made, builds: b.builds, again: again}
	svc.changing.Lock()
	a := svc.ahead
	svc.changing.Unlock()
	ctx, giveUp := context.WithCancel(s.stopping)
	b.noticed.Store(&giveUp)
	rest := time.After(s.opts.rest())
	b.proving = s.tasks.Go(func() {
		defer giveUp()
		if a != nil {
			select {
			case <-a.made:
			case <-ctx.Done():
			}
		}
		select {
		case <-rest:
		case <-ctx.Done():
		}
		stop := context.AfterFunc(ctx, bundler.Cancel)
		p.began = time.Now()
		if ctx.Err() == nil {
			p.out, p.err = bundler.Build()
		}
		if !stop() { // the bundler can't be used any more
			p.err = bundle.ErrCanceled
		}
		select {
		case s.proofs <- p:
		case <-s.stopping.Done():
			bundler.Close()
		}
	})
	if !b.proving {
		giveUp()
		bundler.Close()
	}
}

// proved takes the bundler of a proof, which knows more than the shelf, and returns whether it gives another bundle
// than the newest one, so that a reload is due. If there was a build meanwhile, or somebody writes the files, or seemed
// to when the proof was given up, it is made once more.
func (s *Session) proved(p *proof) (differs bool) {
	svc, b := p.service, &p.service.build
	b.proving = false
	kept := b.newest
	differs = p.err != nil || p.out == nil || !p.out.Same(kept)
	switch {
	case !b.unproved || s.stopping.Err() != nil || svc.live() == nil:
		p.bundler.Close()
		return false
	case b.builds != p.builds || errors.Is(p.err, bundle.ErrCanceled):
		p.bundler.Close()
		s.beginProof(svc, false)
		return false
	case differs && !p.again && s.opts.Watch && bundle.Moved(kept.Inputs, p.began):
		p.bundler.Close()
		s.beginProof(svc, true) // unless the watcher has asked for a reload before it ends
		return false
	}
	b.close()
	b.bundler, b.made, b.taken, b.unproved = p.bundler, p.options, false, false
	if differs {
		b.shelf.Drop(b.made)
	} else {
		b.bundler.Unite(p.out, kept)
		b.fresh, b.began, b.newest = p.out, p.began, p.out
		s.rewatch(svc, p.out, nil)
	}
	return differs
}
