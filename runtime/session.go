package runtime

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/queues"
	"eddy/runtime/bindings/assets"
	"eddy/runtime/clock"
	"eddy/runtime/cluster/node"
	"eddy/runtime/front"
	"eddy/runtime/session"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// ConfigError holds all mistakes of the user in the configurations.
type ConfigError = session.ConfigError

// StartError says why a Worker did not start: its script threw at the top level, or its exports do not fit its
// configuration.
type StartError = session.StartError

// Explain renders an error of Start or Reload for a terminal: diagnostics and code frames instead of a chain of errors.
func Explain(err error, color bool) string { return session.Explain(err, color) }

// Session is a running session. Make one with [Start], end it with [Session.Stop].
type Session struct {
	o       Options
	workers *session.Session
	ports   front.Ports
	pages   *front.Pages // nil without LiveReload
	node    *node.Self   // nil outside of a cluster
	stop    sync.Once
	stopErr error
}

// Start brings a session up: configurations, state, Workers, what they consume, and last the ports, so that whoever is
// answered finds everything there. When it fails nothing is left running; [Explain] renders the error.
func Start(ctx context.Context, o Options) (*Session, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	go worker.Prepare() // beside reading the configuration, opening the log and building
	s := &Session{o: o}
	below := o.below()
	if o.Cluster != nil {
		below.Join = func(code string) (_ *node.Self, err error) {
			c := *o.Cluster
			c.Code = code
			s.node, err = node.Start(ctx, c)
			s.o.Token = c.Token
			return s.node, err
		}
	}
	if o.LiveReload {
		s.pages = &front.Pages{}
		below.Reloaded = s.pages.Reload
	}
	var err error
	if s.workers, err = session.Start(ctx, below); err != nil {
		s.leave()
		return nil, err
	}
	if err := s.listen(); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// stopGrace bounds how long Stop waits for all that is in flight, if the options say nothing else: half of the second
// that Ctrl-C may take.
const stopGrace = 500 * time.Millisecond

// Stop ends the session: it stops listening, lets what is in flight end within Options.Grace or ctx, whichever is less,
// and closes log and storage. It may be called twice.
func (s *Session) Stop(ctx context.Context) error {
	s.stop.Do(func() {
		grace, cancel := clock.WithPatience(ctx, cmp.Or(s.o.Grace, stopGrace))
		defer cancel()
		defer context.AfterFunc(grace, s.workers.GiveUp)()
		if s.node != nil {
			// First the others get what this node has; what is in flight goes on and finds it there.
			s.workers.HandOver()
			leaving, cancel := clock.WithPatience(ctx, leaveTime)
			s.node.Leave(leaving)
			cancel()
			s.workers.Sharing().Settle(grace)
		}
		errs := []error{s.workers.Hold()}
		if s.pages != nil {
			s.pages.End()
		}
		errs = append(errs, s.ports.Stop(grace), s.workers.Stop())
		s.leave()
		s.stopErr = errors.Join(errs...)
	})
	return s.stopErr
}

// leaveTime is how long the database may take to hear that a node leaves; others find out by themselves in a lease.
const leaveTime = 2 * time.Second

// leave ends the node of a cluster.
func (s *Session) leave() {
	if s.node == nil {
		return
	}
	ctx, cancel := clock.WithPatience(context.Background(), leaveTime)
	defer cancel()
	s.node.Close(ctx)
}

// Node is this node of a cluster, nil if the session's state is this machine's.
func (s *Session) Node() *node.Self { return s.node }

// HasQueues tells whether the queues are served by this process: always, unless another node of the cluster has them.
func (s *Session) HasQueues() bool { return s.workers.Sharing().Hosts() }

// Handler serves a Worker ("" is the first) without a port. It takes requests that did not come over a connection, such
// as those of httptest.NewRequest, for the caller's own, so /cdn-cgi/ answers them as well.
func (s *Session) Handler(name string) (http.Handler, error) {
	name, err := s.workers.Named(name)
	if err != nil {
		return nil, err
	}
	return s.front(name), nil
}

func (s *Session) front(name string) front.Front {
	return front.New(front.Options{
		Worker: name, Clock: s.o.Clock, Report: s.o.Reporter, Several: len(s.Workers()) > 1,
		TestScheduled: s.o.TestScheduled, Token: s.o.Token,
		Guarded: s.node != nil, Own: s.workers.Sharing(), Pages: s.pages,
		Workflows: s.workers.Workflows(), Mailbox: s.workers.Mailbox(),
		Config: func() *wrangler.Config { return s.workers.Config(name) },
		Live: func(ctx context.Context) (*worker.Worker, *assets.Site, error) {
			return s.workers.Serving(ctx, name)
		},
		Uncaught: func(ex *worker.Exception) { s.workers.Uncaught(name, ex) },
	})
}

// listen opens the ports that the options ask for, and then lets others find the session.
func (s *Session) listen() error {
	if !s.o.Listen {
		return nil
	}
	asked := front.Asked{IP: s.o.IP, Number: s.o.Port, Protocol: string(s.o.LocalProtocol), Dir: s.o.Dir,
		KeyFile: s.o.HTTPSKeyPath, CertFile: s.o.HTTPSCertPath}
	for i, name := range s.Workers() {
		if port, ok := asked.Port(s.workers.Config(name), i == 0); ok {
			if err := s.ports.Open(s.front(name), port); err != nil {
				return err
			}
		}
	}
	s.ports.Serve()
	return s.workers.Sharing().Listening(s.URL())
}

// URL is where the first Worker answers, "" without a port.
func (s *Session) URL() string { return s.ports.URL() }

// Addr is the address of the first Worker's port, nil without one.
func (s *Session) Addr() net.Addr { return s.ports.Addr() }

// Workers returns the names of the session's Workers, in order.
func (s *Session) Workers() []string { return s.workers.Workers() }

// Worker returns what serves under a name now, nil if there is no such Worker or the session has ended. A reload
// replaces it.
func (s *Session) Worker(name string) *worker.Worker { return s.workers.Worker(name) }

// Reload rebuilds a Worker and swaps it in, custom build included. When any step of that fails the code from before
// goes on, and [Explain] renders the error.
func (s *Session) Reload(ctx context.Context, name string) error { return s.workers.Reload(ctx, name) }

// MigrateDatabases applies the migrations of the Workers' D1 databases that have a folder of them, as `eddy d1
// migrations apply` does for one database. Those that were applied before are left out. It fails with the first
// statement that SQLite refuses.
func (s *Session) MigrateDatabases() error { return s.workers.MigrateDatabases() }

// StateDir is where the session keeps its state.
func (s *Session) StateDir() string { return string(s.workers.State()) }

// Broker returns the session's own broker, nil while the session uses the queues of another session.
func (s *Session) Broker() *queues.Broker { return s.workers.Sharing().Queues.Broker() }

// Objects are the session's Durable Objects.
func (s *Session) Objects() *objectjs.Objects { return s.workers.Objects() }

// Banner reports what the session serves: bindings, consumers, where state lives and whether it is durable, and last
// the lines that say it is ready. took is how long the start was, 0 to leave it out.
func (s *Session) Banner(took time.Duration) {
	s.workers.Banner()
	s.ports.Ready(s.o.Reporter, took)
}
