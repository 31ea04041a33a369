package runtime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/dop251/goja"

	"eddy/queues/logstore"
	"eddy/queues/queuejs"
	"eddy/runtime/control"
	"eddy/runtime/report"
)

// openControl makes what answers /cdn-cgi/eddy/, once broker and Workers are up.
func (s *Server) openControl() error {
	o := control.Options{
		Broker: s.broker, Clock: s.clock, Session: s.session, Scripts: s.scripts, Attach: s.attachConsumer, Namespace: s.opts.MetricsNamespace, Objects: objectStore{s.objects},
		Failed: func(err error) { s.report.Line(report.Error, "control", fmt.Sprintf("control API: %v", err)) },
	}
	if !s.state.ephemeral {
		o.SideFile = control.SideFilePath(s.state.root)
		o.State, o.Render = s.state.root, RenderValue
	}
	a, err := control.New(o)
	if err != nil {
		return err
	}
	s.control = a
	s.closers = append(s.closers, a.Close)
	return nil
}

// inUse explains, when another process has the log, which one it is and what can be done: two processes cannot own one
// log, but one session can run many Workers.
func (s *Server) inUse(err error) error {
	var locked *logstore.LockedError
	if !errors.As(err, &locked) {
		return fmt.Errorf("queues: %w", err)
	}
	who := fmt.Sprintf("process %d", locked.Pid)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if _, other, findErr := control.Find(ctx, s.state.root); findErr == nil {
		who = fmt.Sprintf("process %d, which serves %s at %s", other.PID, strings.Join(other.Workers, ", "), other.URL)
	}
	return fmt.Errorf("the state directory %s is in use by %s\n  to share its queues, run the Workers in one session: eddy dev -c ONE -c ANOTHER\n  to keep them apart, give this one a directory of its own: --persist-to DIR\n  %w", s.state.root, who, err)
}

// announce lets commands find the session, once it listens.
func (s *Server) announce() error {
	if s.state.ephemeral || s.URL() == "" {
		return nil
	}
	withdraw, err := control.Announce(s.session())
	if err != nil {
		return err
	}
	s.closers = append(s.closers, withdraw)
	return nil
}

func (s *Server) session() control.Session {
	return control.Session{PID: os.Getpid(), URL: s.URL(), State: s.state.root, Started: s.started, Workers: s.Workers()}
}

// scripts are the session's Workers as the control API sees them.
func (s *Server) scripts() []control.Script {
	var list []control.Script
	for _, svc := range s.services {
		g := svc.live()
		if g == nil {
			continue
		}
		script := control.Script{Name: svc.name, HasQueue: g.hasQueue(context.Background())}
		for _, p := range g.config.Queues.Producers {
			script.Producers = append(script.Producers, p.Queue)
		}
		list = append(list, script)
	}
	return list
}

// hasQueue tells whether the generation's entry exports a queue() handler, as an object or as a class.
func (g *generation) hasQueue(ctx context.Context) (has bool) {
	// A loop that has stopped has no handlers.
	_ = g.Loop.Do(ctx, func() {
		if g.IsServiceWorker() {
			has = true
			return
		}
		obj, ok := g.Export("default").(*goja.Object)
		if !ok {
			return
		}
		v := obj.Get("queue")
		if v == nil {
			if proto, ok := obj.Get("prototype").(*goja.Object); ok {
				v = proto.Get("queue")
			}
		}
		_, has = goja.AssertFunction(v)
	})
	return has
}

// attachConsumer connects a Worker of the session to a queue that got it as its consumer while the session runs.
func (s *Server) attachConsumer(script, queue string) error {
	svc := s.byName[script]
	if svc == nil || svc.live() == nil {
		return nil // the messages wait until a session runs it
	}
	g := svc.live()
	detach, err := s.broker.Attach(queue, queuejs.Consumer{Isolate: g.Isolate})
	if err != nil {
		return fmt.Errorf("consumer of queue %q: %w", queue, err)
	}
	svc.attachMu.Lock()
	defer svc.attachMu.Unlock()
	g.detach = append(g.detach, detach)
	return nil
}

// attachUndeclared connects a new generation to queues whose consumer was made through the API.
func (s *Server) attachUndeclared(svc *service, g *generation) error {
	all, err := s.broker.Queues(context.Background())
	if err != nil {
		return err
	}
	for _, q := range all {
		if q.Consumer == nil || q.Consumer.Declared || q.Consumer.Config.Script != svc.name {
			continue
		}
		detach, err := s.broker.Attach(q.Name, queuejs.Consumer{Isolate: g.Isolate})
		if err != nil {
			return fmt.Errorf("consumer of queue %q: %w", q.Name, err)
		}
		g.detach = append(g.detach, detach)
	}
	return nil
}
