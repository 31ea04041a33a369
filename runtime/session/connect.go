package session

import (
	"context"
	"fmt"

	"eddy/queues/queuejs"
	"eddy/wrangler"
)

// connect attaches what a generation serves: its objects first, because a queue handler may call them. configs are the
// configurations of the whole session, that of g included; with nil the queues stay as they are. If a step fails, made
// holds what was attached before it, and the caller detaches that. The caller holds svc.changing.
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
			// When one class cannot be attached, others may be already. An error of Detach does not matter: the isolate
			// ends.
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
		{"workflows", func() error {
			s.flows.attach(g, add)
			return nil
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

// mayStep refuses a step if the session is ending.
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
	if s.opts.Driven {
		return nil
	}
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

// AttachConsumer connects a Worker of the session to a queue whose consumer it has become while the session runs. It
// waits while generations of the Worker change. Implements [sharing.Local].
func (s *Session) AttachConsumer(script, queue string) error {
	svc := s.byName[script]
	if svc == nil || svc.live() == nil {
		s.queues.Serve(script, queue) // if no session runs the Worker, the messages wait until one does
		return nil
	}
	svc.changing.Lock()
	defer svc.changing.Unlock()
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
