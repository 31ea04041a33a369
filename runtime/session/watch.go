package session

import (
	"errors"
	"fmt"
	"slices"

	"eddy/runtime/bundle"
	"eddy/runtime/report"
	"eddy/wrangler"
)

// watch follows the files that a service was built from: those of b or, after a failed build, those of the generation
// that serves and those that the errors name.
func (s *Session) watch(svc *service, b *bundle.Bundle, failed error) error {
	if !s.opts.Watch {
		return nil
	}
	cfg := svc.build.config
	files := configFiles(cfg)
	if b != nil {
		files = append(files, b.Inputs...)
	} else if g := svc.live(); g != nil {
		files = append(files, g.bundle.Inputs...)
	}
	var be *bundle.BuildError
	if errors.As(failed, &be) {
		for _, m := range be.Messages {
			if m.File != "" {
				files = append(files, m.File)
			}
		}
	}
	set := svc.build.watch()
	set.Files = slices.Concat(files, set.Files, cfg.AbsentSecretFiles)
	err := s.follow(svc, func(w *watchers) map[*service]*bundle.Watcher { return w.inputs }, set, func() {})
	svc.build.doubt(files)
	return err
}

// watchSources follows the folders of a custom build (build.watch_dir): a change there runs the command again. What the
// command writes is an input of the bundle; a change there does not run the command.
func (s *Session) watchSources(svc *service, cfg *wrangler.Config) error {
	if !s.opts.Watch {
		return nil
	}
	s.watchers.mu.Lock()
	followed := s.watchers.sources[svc] != nil
	s.watchers.mu.Unlock()
	if !followed && cfg.Build.Command == "" {
		return nil
	}
	set, err := sourcesOf(cfg.Build.WatchDirs)
	if err != nil {
		return err
	}
	note := func() { svc.build.stale.Store(true) }
	return s.follow(svc, func(w *watchers) map[*service]*bundle.Watcher { return w.sources }, set, note)
}

// follow makes a watcher of a service follow a set of files. Each change calls note, and then asks for a reload.
func (s *Session) follow(
	svc *service, kind func(*watchers) map[*service]*bundle.Watcher, set bundle.WatchSet, note func(),
) error {
	s.watchers.mu.Lock()
	defer s.watchers.mu.Unlock()
	if s.watchers.closed {
		return nil
	}
	if s.watchers.inputs == nil {
		s.watchers.inputs, s.watchers.sources = map[*service]*bundle.Watcher{}, map[*service]*bundle.Watcher{}
	}
	of := kind(&s.watchers)
	w := of[svc]
	if w != nil {
		return w.Set(set)
	}
	w, err := bundle.NewWatcher(bundle.WatchOptions{Noticed: svc.build.giveUp})
	if err == nil {
		err = w.Set(set)
	}
	if err != nil {
		return fmt.Errorf("watch files: %w", err)
	}
	of[svc] = w
	s.tasks.Go(func() {
		for change := range w.Changes() {
			note()
			select {
			case s.requests <- buildRequest{service: svc, ctx: s.stopping, changed: change.At}:
			case <-s.stopping.Done():
				return
			}
		}
	})
	return nil
}

// rewatch is watch for reloads. If it fails, a warning says so, and the reload goes on.
func (s *Session) rewatch(svc *service, b *bundle.Bundle, failed error) {
	if err := s.watch(svc, b, failed); err != nil {
		s.lines.Line(report.Warn, "reload", fmt.Sprintf("watch files of %s: %v", svc.name, err))
	}
}
