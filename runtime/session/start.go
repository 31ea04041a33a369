package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/queues"
	"eddy/queues/queuejs"
	"eddy/runtime/report"
	"eddy/runtime/sharing"
	"eddy/runtime/statedir"
	"eddy/wrangler"
)

// Start brings a session up; see the package documentation for the order. When it fails nothing is left running.
func Start(ctx context.Context, o Options) (_ *Session, err error) {
	if o.Inspector != nil {
		o.Clock = o.Inspector.Clock(o.Clock)
	}
	s := &Session{
		began: time.Now(), opts: o, byName: map[string]*service{},
		requests: make(chan buildRequest), proofs: make(chan *proof),
		lines: lines{Reporter: o.Report, exception: o.Exception, dir: o.Dir, project: projectOf(o.Configs)},
	}
	s.stopping, s.stopNow = context.WithCancel(context.Background())
	s.giveUp, s.giveUpNow = context.WithCancel(context.Background())
	s.unreliable = s.replace
	s.crons = crons{clock: o.Clock, lines: &s.lines, tasks: &s.tasks, flows: &s.flows}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Stop())
		}
	}()
	configs, err := s.loadConfigs()
	if err != nil {
		return nil, err
	}
	if err := checkBounds(s.opts.Bounds, s.Workers()); err != nil {
		return nil, err
	}
	if o.Inspector != nil {
		if err := o.Inspector.Open(configs[0].Dev.InspectorIP, configs[0].Dev.InspectorPort); err != nil {
			return nil, err
		}
	}
	s.takeEarly(configs)
	s.opts.Journal.configure(configs)
	rules, err := s.opts.Journal.rules()
	if err != nil {
		return nil, err
	}
	s.redactor.Follow(rules)
	s.lines.several = len(s.services) > 1
	if err := s.openState(configs[0]); err != nil {
		return nil, err
	}
	if err := s.join(ctx, configs); err != nil {
		return nil, err
	}
	if err := s.openQueues(ctx, configs); err != nil {
		return nil, err
	}
	s.openJournal(configs)
	if err := s.openObjects(); err != nil {
		return nil, err
	}
	plans, err := s.planMigrations(s.Workers(), configs)
	if err != nil {
		return nil, err
	}
	if err := s.checkPaths(configs, plans); err != nil {
		return nil, err
	}
	s.classes.know(plans)
	_, tell, err := s.applyMigrations(plans)
	if err != nil {
		return nil, err
	}
	tell()
	s.lanes = &queuejs.DOQueues{Broker: s.queues, Driven: s.opts.Driven, NamespaceKey: objectjs.NamespaceKey}
	if err := s.openContainers(ctx, configs); err != nil {
		return nil, err
	}
	if err := s.startServices(ctx, configs); err != nil {
		return nil, err
	}
	if !o.Unattended {
		if err := s.sharing.Connected(o.Clock.Now()); err != nil {
			return nil, err
		}
	}
	if s.kept != nil {
		s.crons.once = s.onceInCluster
		s.opts.Cluster.Objects(s.kept)
	}
	s.tellFirstBuilds()
	if err := s.goOn(configs); err != nil {
		return nil, err
	}
	return s, nil
}

// openState finds and makes the state directory.
func (s *Session) openState(first *wrangler.Config) error {
	if s.opts.Ephemeral {
		tmp, err := os.MkdirTemp(s.opts.Scratch, "eddy-state-")
		if err != nil {
			return fmt.Errorf("state directory: %w", err)
		}
		s.state = statedir.Dir(tmp)
		s.closers = append(s.closers, func() error { return os.RemoveAll(tmp) })
	} else if s.state = s.opts.State; s.state == "" {
		s.state = statedir.Choose("", s.opts.Dir, first.ProjectDir)
	}
	s.stores.state, s.stores.clock, s.stores.relaxed = s.state, s.opts.Clock, s.opts.Relaxed
	s.stores.failed = func(err error) {
		s.lines.Line(report.Error, "analytics", fmt.Sprintf("data points are lost: %v", err))
	}
	s.closers = append(s.closers, s.stores.close, s.flows.close)
	s.flows.state, s.flows.clock, s.flows.relaxed = s.state, s.opts.Clock, s.opts.Relaxed
	s.observeFlows()
	s.flows.warn = func(text string) { s.lines.Line(report.Error, "workflow", text) }
	return s.state.Make()
}

// openQueues opens the log or joins the session that has it, and declares what the configurations say.
func (s *Session) openQueues(ctx context.Context, configs []*wrangler.Config) error {
	var err error
	s.sharing, err = sharing.Open(ctx, sharing.Options{
		State: s.state, Ephemeral: s.opts.Ephemeral, Relaxed: s.opts.Relaxed, Clock: s.opts.Clock,
		Random: s.opts.Random, Environ: s.opts.Environ, Dir: s.opts.Dir,
		Report: s.opts.Report, Workers: s.Workers(), Session: s,
		Cluster: s.opts.Cluster,
	})
	if err != nil {
		return err
	}
	s.closers = append(s.closers, s.sharing.Close)
	s.queues = s.sharing.Queues
	s.flows.away = s.sharing.Flow
	if err := s.queues.Observe(s.activity); err != nil {
		return err
	}
	return s.declare(configs)
}

// activity hears what happens in the queues, on the broker's goroutine. If another session consumes a queue, that
// session tells of it.
func (s *Session) activity(a queues.Activity) {
	if s.opts.Activity != nil {
		s.opts.Activity(a)
	}
	if !s.queues.Elsewhere(a.Queue) {
		s.lines.activity(a)
	}
}

// startServices builds all Workers, so that the user sees every build error at once, then starts them all, and then
// connects them: each may call the others.
func (s *Session) startServices(ctx context.Context, configs []*wrangler.Config) error {
	bundles := s.bundles
	if s.bundles = nil; bundles == nil {
		var err error
		if bundles, err = s.buildAll(ctx, configs); err != nil {
			return err
		}
	}
	for i, svc := range s.services {
		// The classes are declared before the code runs, because the code finds them in ctx.exports.
		if err := s.declareClasses(svc.name, configs[i]); err != nil {
			return err
		}
	}
	for i, svc := range s.services {
		g, err := s.startGeneration(ctx, svc, configs[i], bundles[i], 1)
		if err != nil {
			return err
		}
		svc.changing.Lock()
		svc.swap(g, nil)
		svc.changing.Unlock()
	}
	for _, svc := range s.services {
		if err := s.connectFirst(svc); err != nil {
			return err
		}
	}
	return nil
}

// connectFirst connects a service's first generation, which serves already.
func (s *Session) connectFirst(svc *service) error {
	svc.changing.Lock()
	defer svc.changing.Unlock()
	g := svc.live()
	made, err := s.connect(svc, g, nil)
	svc.attach(g, made...)
	return err
}

// goOn starts what keeps the session going: builds, watchers, crons.
func (s *Session) goOn(configs []*wrangler.Config) error {
	for i, svc := range s.services {
		if err := s.watch(svc, svc.live().bundle, nil); err != nil {
			return err
		}
		if err := s.watchSources(svc, configs[i]); err != nil {
			return err
		}
		if s.opts.Crons {
			s.crons.arm(svc, configs[i])
		}
	}
	s.tasks.Go(func() { s.serveBuilds(s.reload) })
	return nil
}
