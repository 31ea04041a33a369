package session

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"eddy/runtime/heapwatch"
	"eddy/runtime/report"
	"eddy/wrangler"
)

// Reload rebuilds a Worker ("" is the first) and swaps it in. If that fails, the present generation goes on and Reload
// returns the error. The reload is given up when ctx or the session ends.
func (s *Session) Reload(ctx context.Context, name string) error {
	svc, err := s.find(name)
	if err != nil {
		return err
	}
	svc.build.stale.Store(true)
	return s.ask(ctx, svc)
}

// reload rebuilds a service and tells the user what became of it. It runs on the goroutine that builds.
func (s *Session) reload(ctx context.Context, svc *service) error {
	defer heapwatch.Burst()() // somebody waits for it
	svc.build.giveUp()
	if s.stopping.Err() != nil {
		return errNotRunning
	}
	begin := time.Now()
	svc.build.reloaded = begin
	svc.build.seen = s.watchers.seen(svc) // after the time; see Watcher.Seen
	err := s.rebuild(ctx, svc)
	if errors.Is(err, errOvertaken) {
		svc.build.overtaken++
		return err // the next reload tells the user
	}
	svc.build.overtaken = 0
	if err != nil {
		after := "The code from before goes on."
		var lost *lostError
		if errors.As(err, &lost) || s.stopping.Err() != nil {
			after = ""
		}
		s.lines.failed("reload", svc.name, err, after)
		return err
	}
	if s.opts.Reloaded != nil {
		s.opts.Reloaded()
	}
	took := time.Since(begin)
	s.lines.Line(report.Info, "reload", fmt.Sprintf("Reloaded %s %s", svc.name,
		s.lines.Paint("dim", "("+report.Duration(took)+")")),
		report.F("worker", svc.name), report.F("ok", true), report.F("ms", took.Milliseconds()))
	return nil
}

// rebuild goes from the configuration file to a generation that serves. Before exchange it changes nothing, except that
// it adds the queues that the new configuration names.
func (s *Session) rebuild(ctx context.Context, svc *service) error {
	in := svc.input
	in.options.Now = s.opts.today()
	cfg, diags := in.load()
	if diags.HasErrors() {
		if s.overtaken(svc) {
			return errOvertaken
		}
		return &ConfigError{Diagnostics: diags, Dir: s.opts.Dir}
	}
	s.warn(svc.newWarnings(diags))
	if cfg.Name != svc.build.config.Name {
		return fmt.Errorf("%s: the Worker's name changed from %q to %q: start eddy dev again", cfg.Path,
			svc.build.config.Name, cfg.Name)
	}
	if err := s.watchSources(svc, cfg); err != nil {
		return err
	}
	if g := svc.live(); g == nil || !reflect.DeepEqual(cfg, g.config) {
		for _, each := range s.services { // what other Workers see of this one may change
			s.dropAhead(each)
		}
	}
	told := s.beginBuild(svc.name)
	b, err := s.bundle(ctx, svc, cfg)
	s.endBuild(told, err)
	s.rewatch(svc, b, err)
	if s.overtaken(svc) {
		return errOvertaken
	}
	if err != nil {
		return err
	}
	if err := s.mayStep("add queues"); err != nil {
		return err
	}
	if err := s.addQueues(ctx, cfg); err != nil {
		return err
	}
	plans, err := s.planMigrations([]string{svc.name}, []*wrangler.Config{cfg})
	if err != nil {
		return err
	}
	if err := s.checkPaths([]*wrangler.Config{cfg}, plans); err != nil {
		return err
	}
	svc.changing.Lock()
	defer svc.changing.Unlock()
	if err := s.exchange(ctx, svc, cfg, b, plans); err != nil {
		return err
	}
	if s.opts.Crons {
		s.crons.arm(svc, cfg)
	}
	s.sharing.Announce()
	return nil
}

// mostOvertaken is how many reloads one after the other are given up where files are written without end.
const mostOvertaken = 3

// overtaken tells whether a reload that a change of files has asked for may be given up, since another one will come.
func (s *Session) overtaken(svc *service) bool {
	b := &svc.build
	return b.mayBe && b.overtaken < mostOvertaken && s.watchers.seen(svc) != b.seen
}
