package runtime

import (
	"context"
	"fmt"

	"github.com/dop251/goja"

	"eddy/queues"
	"eddy/queues/queuejs"
	"eddy/runtime/control"
	"eddy/runtime/report"
)

// openControl makes what answers /cdn-cgi/eddy/ from the session's own broker.
func (s *Server) openControl(b *queues.Broker) error {
	o := control.Options{
		Broker: b, Clock: s.clock, Session: s.session, Scripts: s.scripts, Attach: s.attachConsumer, Namespace: s.opts.MetricsNamespace, Objects: objectStore{s.objects}, Elsewhere: s.objectsElsewhere,
		Warn:   func(text string) { s.report.Line(report.Warn, "control", text) },
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
	s.control.Store(a)
	s.closers = append(s.closers, a.Close)
	return nil
}

// scripts are the Workers that the control API knows: the session's, and those of the sessions that joined it.
func (s *Server) scripts() []control.Script {
	list := s.ownScripts()
	for _, guest := range s.queues.Guests() {
		for _, w := range guest.Workers {
			list = append(list, control.Script{Name: w.Name, Producers: w.Producers, HasQueue: w.HasQueue})
		}
	}
	return list
}

func (s *Server) ownScripts() []control.Script {
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
		s.queues.Serve(script, queue) // if nobody runs it the messages wait until a session does
		return nil
	}
	g := svc.live()
	detach, err := s.queues.Attach(queue, queuejs.Consumer{Isolate: g.Isolate})
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
	all, err := s.queues.Consumed(context.Background())
	if err != nil {
		return err
	}
	for _, q := range all {
		if q.Consumer == nil || q.Consumer.Declared || q.Consumer.Config.Script != svc.name {
			continue
		}
		detach, err := s.queues.Attach(q.Name, queuejs.Consumer{Isolate: g.Isolate})
		if err != nil {
			return fmt.Errorf("consumer of queue %q: %w", q.Name, err)
		}
		g.detach = append(g.detach, detach)
	}
	return nil
}
