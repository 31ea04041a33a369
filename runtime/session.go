package runtime

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/queues"
	"eddy/runtime/bindings/assets"
	"eddy/runtime/front"
	"eddy/runtime/report"
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
	// ports are the open ones, in the order of the Workers; nil for a Worker without one.
	ports []*front.Listener
	pages *front.Pages // nil without LiveReload
	// withdraw takes the session out of the registry.
	withdraw func() error
	serving  sync.WaitGroup
	stop     sync.Once
	stopErr  error
}

// Start brings a session up: configurations, state, Workers, what they consume, and last the ports, so that whoever is
// answered finds everything there. When it fails nothing is left running; [Explain] renders the error.
func Start(ctx context.Context, o Options) (*Session, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	s := &Session{o: o, withdraw: func() error { return nil }}
	below := o.below()
	if o.LiveReload {
		s.pages = &front.Pages{}
		below.Reloaded = s.pages.Reload
	}
	var err error
	if s.workers, err = session.Start(ctx, below); err != nil {
		return nil, err
	}
	if err := s.listen(); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// stopGrace bounds how long Stop waits for all that is in flight: half of the second that Ctrl-C may take.
const stopGrace = 500 * time.Millisecond

// Stop ends the session: it stops listening, lets what is in flight end within half a second or ctx, whichever is less,
// and closes log and storage. It may be called twice.
func (s *Session) Stop(ctx context.Context) error {
	s.stop.Do(func() {
		grace, cancel := context.WithTimeout(ctx, stopGrace)
		defer cancel()
		defer context.AfterFunc(grace, s.workers.GiveUp)()
		errs := []error{s.workers.Hold(), s.withdraw()}
		if s.pages != nil {
			s.pages.End()
		}
		for _, p := range s.ports {
			if p != nil {
				errs = append(errs, p.Stop(grace))
			}
		}
		errs = append(errs, s.workers.Stop())
		s.serving.Wait()
		s.stopErr = errors.Join(errs...)
	})
	return s.stopErr
}

// Handler serves a Worker ("" is the first) without a port. It takes requests that did not come over a connection, such
// as those of httptest.NewRequest, for the caller's own, so /cdn-cgi/ answers them as well.
func (s *Session) Handler(name string) (http.Handler, error) {
	all := s.Workers()
	if name == "" {
		name = all[0]
	}
	if !slices.Contains(all, name) {
		return nil, session.NoWorker(name, all)
	}
	return s.front(name), nil
}

func (s *Session) front(name string) front.Front {
	return front.New(front.Options{
		Worker: name, Clock: s.o.Clock, Report: s.o.Reporter, Several: len(s.Workers()) > 1,
		TestScheduled: s.o.TestScheduled, Own: s.workers.Sharing(), Pages: s.pages,
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
	for i, name := range s.Workers() {
		port, ok := s.port(i, name)
		if !ok {
			s.ports = append(s.ports, nil)
			continue
		}
		l, err := s.front(name).Listen(port)
		if err != nil {
			return err
		}
		s.ports = append(s.ports, l)
	}
	for i, l := range s.ports {
		if l != nil {
			s.serving.Go(func() { s.serve(s.Workers()[i], l) })
		}
	}
	if err := s.workers.Sharing().Listening(s.URL()); err != nil {
		return err
	}
	s.withdraw = register(s.o, s.workers, s.URL())
	return nil
}

func (s *Session) serve(name string, l *front.Listener) {
	if err := l.Serve(); err != nil {
		s.o.Reporter.Line(report.Error, "server", fmt.Sprintf("the HTTP server of %s ended: %v", name, err),
			report.F("worker", name))
	}
}

// port says where a Worker shall listen: the first one always, another one if its configuration asks for it (dev.port).
func (s *Session) port(i int, name string) (p front.Port, ok bool) {
	cfg := s.workers.Config(name)
	dev := cfg.Dev
	p = front.Port{IP: dev.IP, Number: dev.Port, Fixed: dev.Port != 0, Config: cfg.Path}
	if i == 0 {
		if s.o.IP != "" {
			p.IP = s.o.IP
		}
		if s.o.Port != 0 {
			p.Number, p.Fixed = max(s.o.Port, 0), true
		}
		if p.Number == 0 && !p.Fixed {
			p.Number = front.DefaultPort
		}
	} else if dev.Port == 0 {
		return p, false
	}
	protocol := s.o.LocalProtocol
	if protocol == "" {
		protocol = Protocol(dev.LocalProtocol)
	}
	p.HTTPS = protocol == HTTPS
	if s.o.HTTPSCertPath != "" {
		p.CertFile, p.KeyFile = s.absolute(s.o.HTTPSCertPath), s.absolute(s.o.HTTPSKeyPath)
	}
	return p, true
}

// absolute makes a path of the command line absolute.
func (s *Session) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.o.Dir, path)
}

// URL is where the first Worker answers, "" without a port.
func (s *Session) URL() string {
	if len(s.ports) == 0 {
		return ""
	}
	return s.ports[0].URL()
}

// Addr is the address of the first Worker's port, nil without one.
func (s *Session) Addr() net.Addr {
	if len(s.ports) == 0 {
		return nil
	}
	return s.ports[0].Addr()
}

// Workers returns the names of the session's Workers, in order.
func (s *Session) Workers() []string { return s.workers.Workers() }

// Worker returns what serves under a name now, nil if there is no such Worker or the session has ended. A reload
// replaces it.
func (s *Session) Worker(name string) *worker.Worker { return s.workers.Worker(name) }

// Reload rebuilds a Worker and swaps it in, custom build included. When any step of that fails the code from before
// goes on, and [Explain] renders the error.
func (s *Session) Reload(ctx context.Context, name string) error { return s.workers.Reload(ctx, name) }

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
	rep := s.o.Reporter
	for i, p := range s.ports {
		if p == nil {
			continue
		}
		text, name := "Ready on "+rep.Paint("cyan", p.URL()), s.Workers()[i]
		if i > 0 {
			text += " " + rep.Paint("dim", "("+name+")")
		} else if took > 0 {
			text += " " + rep.Paint("dim", "("+report.Duration(took)+")")
		}
		rep.Line(report.Info, "ready", text, report.F("url", p.URL()), report.F("worker", name))
	}
}
