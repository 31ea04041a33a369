package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"eddy/runtime/bindings/assets"
	"eddy/runtime/bundle"
	"eddy/runtime/ecma"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// service is one Worker of the session.
type service struct {
	server *Server
	name   string
	// builder and config are used by Start and by the reload goroutine only.
	builder *bundle.Builder
	built   bundle.Options // of builder
	config  *wrangler.Config
	input   configInput
	// stale says that the sources of the custom build have changed since it ran.
	stale atomic.Bool

	current atomic.Pointer[generation]
	// ready is closed when the first generation is up.
	ready     chan struct{}
	readyOnce sync.Once
	attachMu  sync.Mutex // guards the detach of the live generation
	listener  *listener
}

// configInput is where a service's configuration came from, to read it again.
type configInput struct {
	path    string
	options wrangler.Options
}

// generation is one start of a service.
type generation struct {
	*worker.Worker
	config *wrangler.Config
	bundle *bundle.Bundle
	number int
	// site is the assets directory, nil for none.
	site *assets.Site
	// detach gives back what the generation has attached (consumers), in order.
	detach []func()
	// spared undoes that the generation's loop is cut when the session gives up.
	spared func() bool
}

// errNotRunning is what callers get while a service has no generation.
var errNotRunning = errors.New("the Worker is not running")

// live is the generation that serves, nil while there is none.
func (s *service) live() *generation { return s.current.Load() }

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

// build bundles the service as its files are now.
func (s *service) build(cfg *wrangler.Config) (*bundle.Bundle, error) {
	// A builder remembers what it has parsed: it is kept as long as it would be made the same way again.
	o := bundleOptions(cfg, s.server.virtualModules(cfg))
	if cfg.Main == "" {
		var err error
		if o.Entry, err = s.server.filesOnlyEntry(); err != nil {
			return nil, err
		}
	}
	if s.builder == nil || !reflect.DeepEqual(o, s.built) {
		checked := o // apart from what is compared: no function equals itself
		checked.CheckRegExp = ecma.CheckRegExp
		b, err := bundle.New(checked)
		if err != nil {
			return nil, err
		}
		if s.builder != nil {
			s.builder.Close()
		}
		s.builder, s.built = b, o
	}
	s.config = cfg
	return s.builder.Build()
}

// start brings up a new generation without swapping it in.
func (s *service) start(ctx context.Context, cfg *wrangler.Config, b *bundle.Bundle, number int) (*generation, error) {
	g := &generation{config: cfg, bundle: b, number: number}
	var err error
	if g.site, err = openSite(cfg); err != nil {
		return nil, err
	}
	o, err := s.server.workerOptions(s, g)
	if err != nil {
		return nil, err
	}
	if g.Worker, err = worker.Start(ctx, o); err != nil {
		return nil, err
	}
	if err := s.server.checkExports(cfg, g.Worker); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// swap makes g the serving generation and retires the one before: it takes no new events, and is closed when what it
// has in flight is over or the grace period ends.
func (s *service) swap(g *generation) {
	g.spared = context.AfterFunc(s.server.giveUp, g.Loop.Cut)
	old := s.current.Swap(g)
	s.readyOnce.Do(func() { close(s.ready) })
	if old == nil {
		return
	}
	s.attachMu.Lock()
	for _, f := range old.detach {
		f()
	}
	s.attachMu.Unlock()
	s.server.background.Add(1)
	go func() {
		defer s.server.background.Done()
		ctx, cancel := context.WithTimeout(s.server.giveUp, drainGrace)
		defer cancel()
		_ = old.Drain(ctx) // what is still running then is given up
		old.Loop.Cut()
		old.Close()
		old.spared()
	}()
}

// drainGrace is how long an old generation may go on with what it has in flight.
const drainGrace = 5 * time.Second

// bundleOptions translate the configuration for the bundler.
func bundleOptions(cfg *wrangler.Config, virtual []bundle.VirtualModule) bundle.Options {
	o := bundle.Options{
		Dir: cfg.Dir, Entry: cfg.Main, Virtual: virtual,
		NodeCompat:        cfg.HasFlag("nodejs_compat") || cfg.HasFlag("nodejs_compat_v2"),
		PreserveFileNames: cfg.Build.PreserveFileNames, NoBundle: cfg.Build.NoBundle,
		FindAdditionalModules: cfg.Build.FindAdditionalModules, BaseDir: cfg.Build.BaseDir,
		Alias: cfg.Build.Alias, Define: cfg.Build.Define, TSConfig: cfg.Build.TSConfig,
		JSXFactory: cfg.Build.JSXFactory, JSXFragment: cfg.Build.JSXFragment, Minify: cfg.Build.Minify,
		DropNames: !cfg.Build.KeepNames,
	}
	for _, r := range cfg.Build.Rules {
		if !r.Pos.IsValid() {
			continue // a default rule: the bundler has those itself
		}
		o.Rules = append(o.Rules, bundle.Rule{Type: bundle.RuleType(r.Type), Globs: r.Globs, Fallthrough: r.Fallthrough})
	}
	return o
}

// flagsOf resolves the compatibility flags of a configuration. Mistakes are the user's.
func flagsOf(cfg *wrangler.Config) (worker.Flags, error) {
	flags, errs := worker.ResolveFlags(cfg.CompatibilityDate, cfg.CompatibilityFlags)
	if len(errs) > 0 {
		return flags, fmt.Errorf("%s: compatibility_flags: %w", cfg.Path, errors.Join(errs...))
	}
	return flags, nil
}
