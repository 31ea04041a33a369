package session

import (
	"time"

	"eddy/runtime/bundle"
)

// restAfter is how long a proof waits after a reload, of the machine's time: an edit is often followed by another.
const restAfter = 500 * time.Millisecond

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
	p := &proof{service: svc, bundler: bundler, options: b.made, builds: b.builds.Load(), again: again}
	svc.changing.Lock()
	a := svc.ahead
	svc.changing.Unlock()
	var rest time.Duration
	if !b.reloaded.IsZero() {
		rest = restAfter - time.Since(b.reloaded)
	}
	b.proving = s.tasks.Go(func() {
		if a != nil {
			select {
			case <-a.made:
			case <-s.stopping.Done():
			}
		}
		select {
		case <-time.After(rest):
		case <-s.stopping.Done():
		}
		if s.stopping.Err() == nil && b.builds.Load() == p.builds { // else it is made once more
			p.began = time.Now()
			p.out, p.err = bundler.Build()
		}
		select {
		case s.proofs <- p:
		case <-s.stopping.Done():
			bundler.Close()
		}
	})
	if !b.proving {
		bundler.Close()
	}
}

// proved takes the bundler of a proof, which knows more than the shelf, and returns whether it gives another bundle
// than the newest one, so that a reload is due. If there was a build meanwhile, or somebody writes the files, the proof
// is made once more.
func (s *Session) proved(p *proof) (differs bool) {
	svc, b := p.service, &p.service.build
	b.proving = false
	kept := b.newest
	differs = p.err != nil || p.out == nil || !p.out.Same(kept)
	switch {
	case !b.unproved || s.stopping.Err() != nil || svc.live() == nil:
		p.bundler.Close()
		return false
	case b.builds.Load() != p.builds:
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
