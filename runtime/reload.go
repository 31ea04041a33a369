package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"eddy/queues"
	"eddy/runtime/bundle"
	"eddy/runtime/report"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// reloader serialises reloads and owns the watchers. Its goroutine is the only one that builds after Start.
type reloader struct {
	requests chan *service
	mu       sync.Mutex // guards what follows
	watchers map[*service]*bundle.Watcher
	sources  map[*service]*bundle.Watcher // of custom builds
	closed   bool
}

// watch starts watching the inputs of every service.
func (s *Server) watch() error {
	s.reloads = &reloader{requests: make(chan *service), watchers: map[*service]*bundle.Watcher{}, sources: map[*service]*bundle.Watcher{}}
	for _, svc := range s.services {
		if err := s.watchService(svc, svc.live().bundle.Inputs); err != nil {
			return err
		}
		if err := s.watchSources(svc, svc.config); err != nil {
			return err
		}
	}
	s.background.Add(1)
	go func() {
		defer s.background.Done()
		for {
			select {
			case svc := <-s.reloads.requests:
				_ = s.reload(context.Background(), svc) // told to the user by reload itself
			case <-s.stopping:
				s.reloads.mu.Lock()
				defer s.reloads.mu.Unlock()
				s.reloads.closed = true
				for _, all := range []map[*service]*bundle.Watcher{s.reloads.watchers, s.reloads.sources} {
					for _, w := range all {
						_ = w.Close()
					}
				}
				return
			}
		}
	}()
	return nil
}

// watchService watches a service's inputs and its configuration files.
func (s *Server) watchService(svc *service, inputs []string) error {
	w, err := bundle.NewWatcher(bundle.WatchOptions{})
	if err != nil {
		return fmt.Errorf("watch files: %w", err)
	}
	files := append([]string{svc.config.Path}, inputs...)
	files = append(files, svc.config.SecretFiles...)
	if err := w.Set(bundle.WatchSet{Files: files}); err != nil {
		return errors.Join(fmt.Errorf("watch files: %w", err), w.Close())
	}
	s.reloads.mu.Lock()
	s.reloads.watchers[svc] = w
	s.reloads.mu.Unlock()
	s.forwardChanges(svc, w, func() {})
	return nil
}

// forwardChanges asks for a reload at each change that a watcher tells, until the watcher or the session ends. note is
// called before.
func (s *Server) forwardChanges(svc *service, w *bundle.Watcher, note func()) {
	s.background.Add(1)
	go func() {
		defer s.background.Done()
		for range w.Changes() {
			note()
			select {
			case s.reloads.requests <- svc:
			case <-s.stopping:
				return
			}
		}
	}()
}

// Reload rebuilds a Worker ("" is the first) and swaps it in. When the build or the start fails the present generation
// goes on and the error is returned.
func (s *Server) Reload(ctx context.Context, name string) error {
	svc := s.services[0]
	if name != "" {
		if svc = s.byName[name]; svc == nil {
			return fmt.Errorf("no Worker %q in this session", name)
		}
	}
	svc.stale.Store(true)
	return s.reload(ctx, svc)
}

func (s *Server) reload(ctx context.Context, svc *service) error {
	s.reloadMu.Lock()
	defer s.reloadMu.Unlock()
	select {
	case <-s.stopping:
		return errNotRunning
	default:
	}
	begin := time.Now()
	err := s.rebuild(ctx, svc)
	if err != nil {
		s.report.Line(report.Error, "reload", s.explain(err)+"\n"+s.report.Paint("dim", "The code from before goes on."), report.F("worker", svc.name), report.F("ok", false))
		return err
	}
	s.report.Line(report.Info, "reload", fmt.Sprintf("Reloaded %s %s", svc.name, s.report.Paint("dim", "("+report.Duration(time.Since(begin))+")")),
		report.F("worker", svc.name), report.F("ok", true), report.F("ms", time.Since(begin).Milliseconds()))
	return nil
}

func (s *Server) rebuild(ctx context.Context, svc *service) error {
	in := svc.input.options
	in.Now = s.clock.Now()
	cfg, diags := wrangler.Load(svc.input.path, in)
	if diags.HasErrors() {
		return &ConfigError{Diagnostics: diags, Dir: s.dir}
	}
	if cfg.Name != svc.config.Name {
		return fmt.Errorf("%s: the Worker's name changed from %q to %q: start eddy dev again", cfg.Path, svc.config.Name, cfg.Name)
	}
	if err := s.watchSources(svc, cfg); err != nil {
		return err
	}
	told := s.beginBuild(svc.name)
	b, err := s.buildAfresh(ctx, svc, cfg)
	s.endBuild(told, err)
	s.rewatch(svc, b, err)
	if err != nil {
		return err
	}
	old := svc.live()
	number := 1
	if old != nil {
		number = old.number + 1
	}
	// What the new configuration adds must be there before its code runs; what it takes away goes once that code has
	// started, so that a failed start changes nothing.
	if err := s.addQueues(ctx, cfg); err != nil {
		return err
	}
	m, err := s.planMigrations([]string{svc.name}, []*wrangler.Config{cfg})
	if err != nil {
		return err
	}
	g, err := svc.start(ctx, cfg, b, number)
	if err != nil {
		return &StartError{Worker: svc.name, Err: err}
	}
	svc.swap(g) // nobody has the objects open until connectService
	if err := s.applyMigrations(m); err != nil {
		return err
	}
	if err := s.declare(s.liveConfigs()); err != nil {
		return err
	}
	s.armCrons(svc, cfg)
	if err := s.connectService(svc, g); err != nil {
		return err
	}
	s.queues.Announce(s.described())
	return nil
}

// buildAfresh runs the custom build if its sources or the command itself have changed, and bundles.
func (s *Server) buildAfresh(ctx context.Context, svc *service, cfg *wrangler.Config) (*bundle.Bundle, error) {
	if svc.stale.Swap(false) || cfg.Build.Command != svc.config.Build.Command || cfg.Build.Cwd != svc.config.Build.Cwd {
		if err := s.customBuild(ctx, cfg); err != nil {
			svc.stale.Store(true)
			return nil, err
		}
	}
	return svc.build(cfg)
}

// addQueues makes the queues that a changed configuration names and the broker lacks.
func (s *Server) addQueues(ctx context.Context, cfg *wrangler.Config) error {
	t := queues.Topology{}
	for _, live := range s.liveConfigs() {
		t = withConfig(t, live)
	}
	for _, p := range cfg.Queues.Producers {
		t.Queues = append(t.Queues, p.Queue)
	}
	if err := s.queues.Declare(ctx, t); err != nil {
		return fmt.Errorf("queues: %w", err)
	}
	return nil
}

// liveConfigs are the configurations that serve at present.
func (s *Server) liveConfigs() []*wrangler.Config {
	var list []*wrangler.Config
	for _, svc := range s.services {
		if g := svc.live(); g != nil {
			list = append(list, g.config)
		}
	}
	return list
}

// rewatch follows the files of the newest build; of a failed one those it complained about too.
func (s *Server) rewatch(svc *service, b *bundle.Bundle, err error) {
	if s.reloads == nil {
		return
	}
	s.reloads.mu.Lock()
	w := s.reloads.watchers[svc]
	s.reloads.mu.Unlock()
	if w == nil {
		return
	}
	files := append([]string{svc.config.Path}, svc.config.SecretFiles...)
	if b != nil {
		files = append(files, b.Inputs...)
	} else if g := svc.live(); g != nil {
		files = append(files, g.bundle.Inputs...)
	}
	var be *bundle.BuildError
	if errors.As(err, &be) {
		for _, m := range be.Messages {
			if m.File != "" {
				files = append(files, m.File)
			}
		}
	}
	if err := w.Set(bundle.WatchSet{Files: files}); err != nil {
		s.report.Line(report.Warn, "reload", fmt.Sprintf("watch files of %s: %v", svc.name, err))
	}
}

// explain is the text of a failure for the terminal: diagnostics and code frames instead of a chain of errors.
func (s *Server) explain(err error) string { return Explain(err, s.report.Color()) }

// Explain renders an error of Start or Reload for a terminal.
func Explain(err error, color bool) string {
	var ce *ConfigError
	if errors.As(err, &ce) {
		return ce.Render(color)
	}
	var be *bundle.BuildError
	if errors.As(err, &be) {
		return strings.TrimRight(be.Error(), "\n")
	}
	var se *StartError
	var ex *worker.Exception
	if errors.As(err, &se) && errors.As(err, &ex) {
		text := fmt.Sprintf("Worker %s failed to start.\n\nUncaught %s", se.Worker, ex.Stack)
		if ex.Code != "" {
			text += "\n" + ex.Code
		}
		return text
	}
	return err.Error()
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
