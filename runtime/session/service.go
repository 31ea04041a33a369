package session

import (
	"context"
	"errors"
	"sync"

	"eddy/runtime/bindings/assets"
	"eddy/runtime/bundle"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// service is one Worker of the session.
type service struct {
	name  string
	input configInput
	// build makes its bundles.
	build builder

	// turn is held by whoever changes which generation serves or what is attached to it. Its holder may wait for loops
	// and for the broker, so it is never taken on a loop's or the broker's goroutine.
	turn sync.Mutex

	mu          sync.Mutex   // nobody waits while holding it
	current     *generation  // guarded by mu
	attachments []attachment // guarded by mu; of current
	closed      bool         // guarded by mu
	// ready is closed when the first generation is up, or none will be.
	ready chan struct{}
}

// configInput is where a service's configuration came from, to read it again.
type configInput struct {
	path string
	// dir stands for the configuration's directory where there is no file: an entry file is served alone.
	dir     string
	options wrangler.Options
}

func (in configInput) load() (*wrangler.Config, wrangler.Diagnostics) {
	if in.path == "" {
		return wrangler.LoadScript(in.dir, in.options)
	}
	return wrangler.Load(in.path, in.options)
}

// configFiles are those that a configuration was read from.
func configFiles(cfg *wrangler.Config) []string {
	if cfg.Path == "" {
		return cfg.SecretFiles
	}
	return append([]string{cfg.Path}, cfg.SecretFiles...)
}

// generation is one start of a service.
type generation struct {
	*worker.Worker
	config *wrangler.Config
	bundle *bundle.Bundle
	number int
	// site is the assets directory, nil for none.
	site *assets.Site
	// spared undoes that the generation's loop is cut when the session gives up.
	spared func() bool
}

// attachment is something that a generation serves: detach ends that, unless another generation serves it by now.
type attachment struct {
	what   string
	detach func()
}

// detachAll ends attachments in the order in which they were made.
func detachAll(list []attachment) {
	for _, a := range list {
		a.detach()
	}
}

// errNotRunning is what callers get while a service has no generation.
var errNotRunning = errors.New("the Worker is not running")

// live is the generation that serves, nil while there is none.
func (s *service) live() *generation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// wait is live, but waits for the first start.
func (s *service) wait(ctx context.Context) (*generation, error) {
	select {
	case <-s.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if g := s.live(); g != nil {
		return g, nil
	}
	return nil, errNotRunning
}

// swap makes g the serving generation, with what is attached to it, and gives back the one before, nil for none. It
// reports false, and changes nothing, when the service is closed. The turn is held.
func (s *service) swap(g *generation, with []attachment) (old *generation, its []attachment, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, false
	}
	old, its = s.current, s.attachments
	s.current, s.attachments = g, with
	if old == nil {
		close(s.ready)
	}
	return old, its, true
}

// attach adds to what is attached to g, or takes it off again if g serves no longer.
func (s *service) attach(g *generation, made ...attachment) bool {
	s.mu.Lock()
	ok := s.current == g
	if ok {
		s.attachments = append(s.attachments, made...)
	}
	s.mu.Unlock()
	if !ok {
		detachAll(made)
	}
	return ok
}

// reattach replaces what is attached to g, which was connected anew.
func (s *service) reattach(g *generation, made []attachment) {
	s.mu.Lock()
	ok := s.current == g
	if ok {
		s.attachments = made
	}
	s.mu.Unlock()
	if !ok {
		detachAll(made)
	}
}

// close takes the serving generation away for good.
func (s *service) close() (g *generation, its []attachment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, its = s.current, s.attachments
	if s.current == nil && !s.closed {
		close(s.ready)
	}
	s.closed, s.current, s.attachments = true, nil, nil
	return g, its
}

// buildRequest asks the goroutine that builds for a reload of a service.
type buildRequest struct {
	service *service
	ctx     context.Context // the reload ends with it
	done    chan error      // gets the outcome; nil for nobody
}
