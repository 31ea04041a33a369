package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/queues/queuejs"
	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/control"
	"eddy/runtime/peer"
	"eddy/runtime/report"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// Options configure a session. The zero value serves the configuration found from the working directory on
// localhost:8787, as `eddy dev` does.
type Options struct {
	// Configs are the configuration files, the first one being the Worker that the port answers for; none means the one
	// found from Dir upwards.
	Configs []string
	// Dir is the working directory; "" is the process's.
	Dir string
	// Env is the environment of every configuration (--env), "" the top level.
	Env string
	// Vars are NAME:VALUE (--var).
	Vars []string
	// EnvFiles replace .dev.vars and .env (--env-file).
	EnvFiles []string
	// Main replaces the entry file of the first configuration.
	Main string
	// Name, CompatibilityDate and CompatibilityFlags replace those of the first configuration.
	Name, CompatibilityDate string
	CompatibilityFlags      []string
	// Environ is the process's environment; nil means none is looked at.
	Environ []string

	// IP and Port of the first Worker. Port -1 picks a free one; 0 is the configuration's, else 8787, else the next
	// that is free. NoListen serves no port at all: requests come through Handler.
	IP       string
	Port     int
	NoListen bool
	// LocalProtocol is "http" (default) or "https" (with a certificate made for the session).
	LocalProtocol string

	// PersistTo is the state directory (--persist-to), relative to Dir; "" is .wrangler/state beside the configuration.
	PersistTo string
	// Ephemeral keeps no state at all: everything is gone at Stop.
	Ephemeral bool
	// Durability is "strict" (default: an acknowledged send or write has reached the disk) or "relaxed" (it has reached
	// the operating system).
	Durability string
	// Alarms says what becomes of alarms left from an earlier run: "fire" (default), "hold" or "drop".
	Alarms string
	// RelaxedLimits lifts production's limits on keys and values of storage (KV12), as the reference does.
	RelaxedLimits bool
	// ObjectHistory is how long the earlier states of objects are kept for point-in-time recovery (SQL18); 0 means 30
	// days, as in production, negative keeps none.
	ObjectHistory time.Duration
	// Crons fires triggers.crons by themselves; off, they only fire through /cdn-cgi/handler/scheduled (DEV6).
	Crons bool
	// TestScheduled adds /__scheduled (--test-scheduled).
	TestScheduled bool
	// Watch rebuilds and reloads when files change.
	Watch bool

	// MetricsNamespace is the first part of the metrics' names, "" for eddy.
	MetricsNamespace string
	// Clock is the source of time; nil is the machine's.
	Clock clock.Clock
	// Random is the source of random bytes; nil is the system's.
	Random io.Reader
	// Reporter takes the lines of the session; nil writes none.
	Reporter *report.Reporter
}

// Server is a running session.
type Server struct {
	opts     Options
	dir      string
	clock    clock.Clock
	report   *report.Reporter
	services []*service
	byName   map[string]*service
	state    *stateDir
	queues   *peer.Queues
	lanes    *queuejs.DOQueues
	objects  *objectjs.Objects
	// control answers /cdn-cgi/eddy/; nil until the session is connected, and while it shares another one's queues.
	control atomic.Pointer[control.API]
	door    door
	// connected is closed when all Workers of the start are attached.
	connected chan struct{}
	stores    stores
	started   time.Time
	crons     crons
	reloads   *reloader
	reloadMu  sync.Mutex

	background sync.WaitGroup
	stopOnce   sync.Once
	stopping   chan struct{}
	stopErr    error
	// giveUp ends when Stop waits no longer for what is in flight; every generation's loop is cut then.
	giveUp    context.Context
	giveUpNow context.CancelFunc
	closers   []func() error // run in reverse order by Stop
}

// ConfigError is the user's mistakes in the configurations, all of them.
type ConfigError struct {
	Diagnostics wrangler.Diagnostics
	Dir         string
}

// Error renders every diagnostic.
func (e *ConfigError) Error() string { return e.Render(false) }

// Render is the text for a terminal: the errors, and then the warnings.
func (e *ConfigError) Render(color bool) string {
	var b writerString
	_ = slices.Concat(e.Diagnostics.Errors(), e.Diagnostics.Warnings()).Render(&b, wrangler.RenderOptions{Color: color, Base: e.Dir})
	return string(b)
}

type writerString []byte

func (w *writerString) Write(p []byte) (int, error) { *w = append(*w, p...); return len(p), nil }

// StartError is why a Worker did not start: its script threw at the top level, or its exports do not fit its
// configuration.
type StartError struct {
	Worker string
	Err    error
}

// Error implements error.
func (e *StartError) Error() string {
	return fmt.Sprintf("Worker %s failed to start: %v", e.Worker, e.Err)
}

// Unwrap gives the cause.
func (e *StartError) Unwrap() error { return e.Err }

// Start brings a session up; see the package documentation for the order. When it fails nothing is left running.
func Start(ctx context.Context, o Options) (_ *Server, err error) {
	s := &Server{opts: o, clock: o.Clock, report: o.Reporter, byName: map[string]*service{}, stopping: make(chan struct{}), connected: make(chan struct{})}
	s.giveUp, s.giveUpNow = context.WithCancel(context.Background())
	if s.clock == nil {
		s.clock = clock.Real{}
	}
	if s.report == nil {
		s.report = report.New(report.Options{Level: report.None})
	}
	if s.dir = o.Dir; s.dir == "" {
		if s.dir, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	if s.dir, err = filepath.Abs(s.dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = s.Stop(context.WithoutCancel(ctx))
		}
	}()
	configs, err := s.loadConfigs()
	if err != nil {
		return nil, err
	}
	if err := s.openState(configs[0]); err != nil {
		return nil, err
	}
	s.closers = append(s.closers, s.stores.close)
	if err := s.lockWorkers(); err != nil {
		return nil, err
	}
	if err := s.openQueues(ctx, configs); err != nil {
		return nil, err
	}
	if err := s.openObjects(configs); err != nil {
		return nil, err
	}
	s.lanes = &queuejs.DOQueues{Broker: s.queues, NamespaceKey: objectjs.NamespaceKey}
	// Built first, all of them, so that the user sees every build error at once.
	bundles := make([]*bundle.Bundle, len(configs))
	var buildErrs []error
	for i, svc := range s.services {
		if err = s.customBuild(ctx, configs[i]); err == nil {
			bundles[i], err = svc.build(configs[i])
		}
		if err != nil {
			buildErrs = append(buildErrs, err)
		}
	}
	if err := errors.Join(buildErrs...); err != nil {
		return nil, err
	}
	for i, svc := range s.services {
		g, err := svc.start(ctx, configs[i], bundles[i], 1)
		if err != nil {
			return nil, &StartError{Worker: svc.name, Err: err}
		}
		svc.swap(g)
	}
	if err := s.connect(); err != nil {
		return nil, err
	}
	s.started = s.clock.Now()
	close(s.connected)
	if err := s.openDoor(false); err != nil {
		return nil, err
	}
	s.tellFirstBuilds()
	if !o.NoListen {
		if err := s.listen(); err != nil {
			return nil, err
		}
	}
	if err := s.openDoor(true); err != nil {
		return nil, err
	}
	s.queues.Announce(s.described())
	if o.Watch {
		if err := s.watch(); err != nil {
			return nil, err
		}
	}
	if o.Crons {
		s.startCrons()
	}
	return s, nil
}

// Stop ends the session: it stops listening, lets what is in flight end within a short grace period or ctx,
// whichever is less, and closes log and storage. It may be called twice.
func (s *Server) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() {
		close(s.stopping)
		var errs []error
		defer s.giveUpNow()
		defer time.AfterFunc(stopGrace, s.giveUpNow).Stop()
		defer context.AfterFunc(ctx, s.giveUpNow)()
		if s.queues != nil {
			s.queues.Hold() // who has the log must not change any more
		}
		if a := s.control.Load(); a != nil {
			errs = append(errs, a.Close()) // ends streams, which would keep the port from closing
		}
		for _, svc := range s.services {
			if svc.listener != nil {
				errs = append(errs, svc.listener.stop(s.giveUp))
			}
		}
		for _, svc := range s.services {
			g := svc.current.Swap(nil)
			if g == nil {
				continue
			}
			for _, f := range g.detach {
				f()
			}
			_ = g.Drain(s.giveUp) // what does not end in time is given up by Close
			g.Close()
		}
		for _, svc := range s.services {
			if svc.builder != nil {
				svc.builder.Close()
			}
		}
		s.background.Wait()
		if s.queues != nil {
			s.queues.Drain(s.giveUp)
		}
		for i := len(s.closers) - 1; i >= 0; i-- {
			errs = append(errs, s.closers[i]())
		}
		s.stopErr = errors.Join(errs...)
	})
	return s.stopErr
}

// stopGrace bounds how long Stop waits for all that is in flight: half of the second that Ctrl-C may take.
const stopGrace = 500 * time.Millisecond

// Workers are the names of the session's Workers, in order.
func (s *Server) Workers() []string {
	names := make([]string, len(s.services))
	for i, svc := range s.services {
		names[i] = svc.name
	}
	return names
}

// Worker is the running generation of a Worker, nil if there is none of that name.
func (s *Server) Worker(name string) *worker.Worker {
	if svc := s.byName[name]; svc != nil {
		if g := svc.live(); g != nil {
			return g.Worker
		}
	}
	return nil
}
