package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"eddy/runtime/containers"
	"eddy/runtime/report"
	"eddy/wrangler"
)

// openContainers finds the engine, removes what killed sessions have left, and makes the images ready. Without an
// engine the session starts, and each use of a container says so.
func (s *Session) openContainers(ctx context.Context, configs []*wrangler.Config) error {
	var locks []string
	for i, cfg := range configs {
		if len(cfg.Containers) == 0 {
			continue
		}
		s.containers.setting = cmp.Or(s.containers.setting, cfg.Dev.ContainerEngine)
		locks = append(locks, s.state.WorkerLock(s.services[i].name))
		if s.opts.Ephemeral { // nothing is locked then, and containers are known by locks
			held, err := s.state.HoldWorker(s.services[i].name)
			if err != nil {
				return err
			}
			s.closers = append(s.closers, held.Release)
		}
	}
	if locks == nil {
		return nil
	}
	s.closers = append(s.closers, s.containers.live.Close)
	if s.opts.Unattended {
		return nil // tests: images are made ready when one of them starts a container
	}
	engine, err := s.containerEngine(ctx)
	if err != nil {
		s.lines.Line(report.Warn, "container", "Containers do not run: "+err.Error())
		return nil
	}
	if n, err := engine.Sweep(ctx, locks...); err != nil {
		s.lines.Line(report.Warn, "container", "What an earlier session has left is not removed: "+err.Error())
	} else if n > 0 {
		s.lines.Line(report.Info, "container", fmt.Sprintf("Removed %d containers of an earlier session", n))
	}
	return s.prepareImages(ctx, configs)
}

// prepareImages builds and pulls what the configurations name. What fails is a mistake of the configuration.
func (s *Session) prepareImages(ctx context.Context, configs []*wrangler.Config) error {
	var found wrangler.Diagnostics
	for i, cfg := range configs {
		for _, c := range cfg.Classes {
			app, place := s.containerApp(s.services[i].name, cfg, c.Name)
			if app == nil {
				continue
			}
			if _, err := app.Engine(ctx); err != nil {
				continue // switched off
			}
			if err := app.Prepare(ctx); err != nil {
				found = append(found, cfg.Diagnose(place, wrangler.Error, err.Error(), "correct the Dockerfile or the "+
					"name, or start with --enable-containers=false"))
			}
		}
	}
	if len(found) > 0 {
		return &ConfigError{Dir: s.opts.Dir, Diagnostics: found}
	}
	return nil
}

// containerEngine returns the engine. One that is started later is found later.
func (s *Session) containerEngine(ctx context.Context) (*containers.Engine, error) {
	s.containers.mu.Lock()
	defer s.containers.mu.Unlock()
	if s.containers.engine != nil {
		return s.containers.engine, nil
	}
	if s.opts.NoContainers {
		return nil, errNoContainers
	}
	e, err := containers.Find(ctx, s.environ, s.containers.setting)
	if err == nil {
		s.containers.engine = e
	}
	return e, err
}

// environ is a variable of the session's environment, "" if it is not set.
func (s *Session) environ(name string) (value string) {
	for _, entry := range s.opts.Environ {
		if v, ok := strings.CutPrefix(entry, name+"="); ok && v != "" {
			value = v
		}
	}
	return value
}

// containerApp is what the configuration says of the container of a class, and where; nil if the class has none.
func (s *Session) containerApp(name string, cfg *wrangler.Config, class string) (*containers.App, wrangler.Pos) {
	b, ok := containerOf(cfg, class)
	if !ok {
		return nil, wrangler.Pos{}
	}
	key, err := json.Marshal([]any{name, class, b.Image, b.Named, cfg.Dev.NoContainers})
	if err != nil {
		panic(err) // texts only
	}
	s.containers.mu.Lock()
	defer s.containers.mu.Unlock()
	if app := s.containers.apps[string(key)]; app != nil {
		return app, b.Pos
	}
	app := &containers.App{Class: class, Lock: s.state.WorkerLock(name), Live: &s.containers.live,
		Engine: s.containerEngine, Program: s.containerProgram(),
		Tell: func(text string) { s.lines.Line(report.Info, "container", text) }}
	if cfg.Dev.NoContainers {
		app.Engine = func(context.Context) (*containers.Engine, error) { return nil, errNoContainers }
	}
	if b.Image != nil {
		image := imageOf(*b.Image)
		app.Image = &image
	}
	for name, image := range b.Named {
		if app.Named == nil {
			app.Named = map[string]containers.Image{}
		}
		app.Named[name] = imageOf(image)
	}
	if s.containers.apps == nil {
		s.containers.apps = map[string]*containers.App{}
	}
	s.containers.apps[string(key)] = app
	return app, b.Pos
}

// containerProgram is the command that builds images, "" if the engine has to do it by itself.
func (s *Session) containerProgram() string {
	places := []string{s.environ("WRANGLER_DOCKER_BIN")}
	for _, dir := range filepath.SplitList(s.environ("PATH")) {
		places = append(places, filepath.Join(dir, "docker"))
	}
	for _, place := range places {
		if place == "" {
			continue
		}
		if path, err := exec.LookPath(place); err == nil {
			return path
		}
	}
	return ""
}
