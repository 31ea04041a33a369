package session

import (
	"context"
	"fmt"

	"eddy/queues/queuejs"
	"eddy/wrangler"
)

// connect attaches what a generation serves: its objects first, because a queue handler may call them. The
// configurations are all of the session's, that of g included; nil leaves the queues as they are. When a step fails,
// what was attached before is given back too, to be taken off. The service's turn is held.
func (s *Session) connect(svc *service, g *generation, configs []*wrangler.Config) (made []attachment, err error) {
	ctx := context.Background()
	add := func(what string, detach func()) { made = append(made, attachment{what, detach}) }
	steps := []struct {
		name string
		do   func() error
	}{
		{"queues", func() error {
			if configs == nil {
				return nil
			}
			return s.declare(configs)
		}},
		{"classes", func() error { return s.declareClasses(svc.name, g.config) }},
		{"objects", func() error {
			// Some of its classes may be attached when one fails. An error of detaching ends with the isolate.
			add("objects", func() { _ = s.objects.Detach(ctx, g.Isolate) })
			return s.objects.Attach(ctx, g.Isolate)
		}},
		{"lanes", func() error {
			detach, err := s.lanes.Attach(g.Isolate, svc.name)
			if err == nil {
				add("lanes", detach)
			}
			return err
		}},
		{"consumers", func() error { return s.attachConsumers(svc, g, add) }},
	}
	for _, step := range steps {
		if err = s.mayStep(step.name); err == nil {
			err = step.do()
		}
		if err != nil {
			return made, err
		}
	}
	return made, nil
}

// mayStep refuses a step of a session that ends.
func (s *Session) mayStep(name string) error {
	if s.step != nil {
		if err := s.step(name); err != nil {
			return err
		}
	}
	if s.stopping.Err() != nil {
		return errNotRunning
	}
	return nil
}

// attachConsumers connects a generation's queue() handler to its queues: those of its configuration, and those whose
// consumer was made through the API.
func (s *Session) attachConsumers(svc *service, g *generation, add func(string, func())) error {
	var names []string
	for _, c := range g.config.Queues.Consumers {
		if c.Type == wrangler.PushConsumer {
			names = append(names, c.Queue)
		}
	}
	all, err := s.queues.Consumed(context.Background())
	if err != nil {
		return err
	}
	for _, q := range all {
		if q.Consumer != nil && !q.Consumer.Declared && q.Consumer.Config.Script == svc.name {
			names = append(names, q.Name)
		}
	}
	for _, name := range names {
		detach, err := s.queues.Attach(name, queuejs.Consumer{Isolate: g.Isolate})
		if err != nil {
			return fmt.Errorf("consumer of queue %q: %w", name, err)
		}
		add("queue "+name, detach)
	}
	return nil
}

// AttachConsumer connects a Worker of the session to a queue that got it as its consumer while the session runs. It
// waits for a change of generations that is going on. Implements [sharing.Session].
func (s *Session) AttachConsumer(script, queue string) error {
	svc := s.byName[script]
	if svc == nil || svc.live() == nil {
		s.queues.Serve(script, queue) // if nobody runs it the messages wait until a session does
		return nil
	}
	svc.turn.Lock()
	defer svc.turn.Unlock()
	g := svc.live()
	if g == nil {
		return nil // the session ends
	}
	detach, err := s.queues.Attach(queue, queuejs.Consumer{Isolate: g.Isolate})
	if err != nil {
		return fmt.Errorf("consumer of queue %q: %w", queue, err)
	}
	svc.attach(g, attachment{"queue " + queue, detach})
	return nil
}
