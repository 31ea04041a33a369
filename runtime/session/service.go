package session

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"

	"eddy/runtime/bindings/assets"
	"eddy/runtime/bundle"
	"eddy/runtime/webapi/caches"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// service is one Worker of the session.
type service struct {
	name  string
	input configInput
	// build makes its bundles.
	build builder
	// script is what Options.Program made last, nil without one. Used by whoever builds.
	script *worker.Script
	// warned is what its configuration was last warned of. Used by whoever builds.
	warned map[string]bool

	// changing is held by whoever changes which generation serves or what is attached to it. Its holder may wait for
	// loops and for the broker, so it is never taken on a loop's or the broker's goroutine.
	changing sync.Mutex

	mu          sync.Mutex   // nobody waits while holding it
	current     *generation  // guarded by mu
	attachments []attachment // guarded by mu; of current
	closed      bool         // guarded by mu
	// ahead is what the next reload may go on with, nil for nothing; refused are the packages with which that can't be.
	// Guarded by changing.
	ahead   *ahead
	refused *bundle.Packages
	// responses are what the cache in front of it keeps over reloads (cross_version_cache). Used by whoever builds.
	responses *caches.Responses
	// ready is closed when the first generation is up, or none will be.
	ready chan struct{}
}

// configInput says where a service's configuration comes from, so that it can be read again.
type configInput struct {
	path string
	// dir takes the place of the configuration's directory if there is no file, because a script is served alone.
	dir     string
	options wrangler.Options
	// given is what a Worker has beside or in place of a file.
	given *Given
	// member says that it is one of a dispatch namespace.
	member *member
}

// member is a Worker of a dispatch namespace (BIND-121): a folder with a configuration of its own, a folder with an
// entry file, or a file.
type member struct {
	// folder is the namespace's.
	folder string
	// main and name are those of a member without a configuration, date and flags the dispatching Worker's.
	main, name, date string
	flags            []string
}

func (in configInput) load() (*wrangler.Config, wrangler.Diagnostics) {
	if in.given != nil {
		return in.given.load(in.options)
	}
	if in.path == "" {
		return wrangler.LoadScript(in.dir, in.options)
	}
	return wrangler.Load(in.path, in.options)
}

// configFiles lists the files that a configuration was read from.
func configFiles(cfg *wrangler.Config) []string {
	var files []string
	for _, file := range []string{cfg.Path, cfg.SettingsFile} {
		if file != "" {
			files = append(files, file)
		}
	}
	return append(files, cfg.SecretFiles...)
}

// generation is one start of a service.
type generation struct {
	*worker.Worker
	config *wrangler.Config
	bundle *bundle.Bundle
	number int
	// ahead says that packages had run in its isolate before it was asked for.
	ahead bool
	// site is the assets directory, nil for none.
	site *assets.Site
	// spared takes back that the generation's loop is cut when the session gives up.
	spared func() bool
	// replaced is closed when it serves no longer.
	replaced chan struct{}
	// stuck is closed when it has called abortIsolate() and could not be started anew.
	stuck chan struct{}
}

// ahead is a generation that has begun before anybody asked for it: packages have run in its isolate, and the user's
// script of the next reload goes on there.
//
// It takes the memory of one more isolate, so only sessions have one that watch their files, and only where packages
// are dear.
type ahead struct {
	g *generation
	// made is closed when worker and err are there.
	made   chan struct{}
	worker *worker.Ahead
	err    error
	cancel context.CancelFunc
}

// fits tells whether a bundle and a configuration may go on with it.
func (a *ahead) fits(cfg *wrangler.Config, b *bundle.Bundle) bool {
	return a.g.bundle.Packages == b.Packages && a.g.bundle.Leading <= b.Leading && reflect.DeepEqual(a.g.config, cfg)
}

// attachment is something that a generation serves. detach ends that, unless another generation serves it by now.
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

// errNotRunning is the error that callers get while no generation of the service serves.
var errNotRunning = errors.New("the Worker is not running")

// live is the generation that serves, nil while there is none.
func (s *service) live() *generation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// wait does what live does, but waits for the first start, and for the next one of a Worker that has called
// abortIsolate().
func (s *service) wait(ctx context.Context) (*generation, error) {
	select {
	case <-s.ready:
	default:
		select {
		case <-s.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	for {
		g := s.live()
		switch {
		case g == nil:
			return nil, errNotRunning
		case !g.Aborted():
			return g, nil
		}
		select { // it is being started anew
		case <-g.replaced:
		case <-g.stuck:
			return nil, errNotRunning
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// swap makes g the generation that serves, with its attachments. It returns the generation before, nil if there was
// none, and the attachments of that. If the service is closed, swap changes nothing and ok is false. The caller holds
// changing.
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
	} else {
		close(old.replaced)
	}
	return old, its, true
}

// attach adds to the attachments of g. If g serves no longer, attach detaches them instead and reports false.
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

// reattach replaces the attachments of g after g was connected anew.
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

// close takes the serving generation away for good, and returns it with its attachments.
func (s *service) close() (g *generation, its []attachment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, its = s.current, s.attachments
	switch {
	case s.current != nil:
		close(s.current.replaced)
	case !s.closed:
		close(s.ready)
	}
	s.closed, s.current, s.attachments = true, nil, nil
	return g, its
}

// buildRequest asks the goroutine that builds for a reload of a service.
type buildRequest struct {
	service *service
	ctx     context.Context // the reload ends with it
	done    chan error      // gets the outcome; nil if nobody waits for it
	changed time.Time       // when the files were seen to change for which it is; zero if it is for none
}

// proof is a build of all files of a service that runs with what an earlier session has built: the shelf knows much of
// what a build depends on, and esbuild alone knows all. It is made beside the goroutine that builds, which need not
// wait for it before a reload, by a bundler that nobody else uses until it is over.
type proof struct {
	service *service
	bundler *bundle.Builder
	options bundle.Options
	builds  int  // of the service when it began
	again   bool // the one before met files that were being written
	began   time.Time
	out     *bundle.Bundle
	err     error
}

// scriptOf is what runs a bundle.
func (svc *service) scriptOf(b *bundle.Bundle) *worker.Script {
	if svc.script != nil && svc.script.Bundle == b {
		return svc.script
	}
	return &worker.Script{Bundle: b}
}
