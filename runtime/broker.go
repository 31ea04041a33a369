package runtime

import (
	"context"
	"fmt"
	"time"

	"eddy/queues"
	"eddy/queues/logstore"
	"eddy/queues/queuejs"
	"eddy/runtime/peer"
	"eddy/runtime/report"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// openQueues opens the log under the state directory or, if another session has it, joins that session; and declares
// what the configurations say.
func (s *Server) openQueues(ctx context.Context, configs []*wrangler.Config) error {
	switch s.opts.Durability {
	case "", "strict", "relaxed":
	default:
		return fmt.Errorf("durability %q: expected strict or relaxed", s.opts.Durability)
	}
	o, err := s.peerOptions()
	if err != nil {
		return err
	}
	if s.queues, err = peer.Open(ctx, o); err != nil {
		return s.inUse(err)
	}
	s.closers = append(s.closers, s.queues.Close)
	if err := s.queues.Observe(s.activity); err != nil {
		return err
	}
	return s.declare(configs)
}

// openLog opens the log under the state directory.
func (s *Server) openLog() (*queues.Broker, error) {
	o := queues.Options{Dir: s.state.v3("eddy", "queues"), Clock: s.clock, Rand: s.opts.Random}
	if s.state.ephemeral {
		o.FS = logstore.NewMemFS()
	}
	if s.opts.Durability == "relaxed" {
		o.Durability = logstore.Relaxed
	}
	b, rep, err := queues.Open(o)
	if err != nil {
		return nil, err
	}
	for _, line := range rep.Cut {
		s.report.Line(report.Warn, "queues", "queue log: "+line)
	}
	return b, nil
}

// declare brings the queues in line with all configurations of the session.
func (s *Server) declare(configs []*wrangler.Config) error {
	var t queues.Topology
	for _, cfg := range configs {
		t = withConfig(t, cfg)
	}
	if err := s.queues.Declare(context.Background(), t); err != nil {
		return fmt.Errorf("queues: %w", err)
	}
	return nil
}

// withConfig adds to t what a configuration produces to and consumes.
func withConfig(t queues.Topology, cfg *wrangler.Config) queues.Topology {
	for _, p := range cfg.Queues.Producers {
		t.Queues = append(t.Queues, p.Queue)
	}
	for _, c := range cfg.Queues.Consumers {
		t.Consumers = append(t.Consumers, consumerConfig(cfg, c))
	}
	return t
}

func consumerConfig(cfg *wrangler.Config, c wrangler.Consumer) queues.ConsumerConfig {
	typ := queues.WorkerConsumer
	if c.Type == wrangler.PullConsumer {
		typ = queues.PullConsumer
	}
	out := queues.DefaultConsumer(c.Queue, typ)
	if typ == queues.WorkerConsumer {
		out.Script = cfg.Name
		out.MaxBatchSize, out.MaxBatchTimeout, out.MaxConcurrency = c.MaxBatchSize, c.MaxBatchTimeout, c.MaxConcurrency
	} else {
		out.VisibilityTimeout = c.VisibilityTimeout
	}
	out.MaxRetries, out.RetryDelay, out.DeadLetterQueue = c.MaxRetries, c.RetryDelay, c.DeadLetterQueue
	return out
}

// queueBindings are a Worker's producers.
func (s *Server) queueBindings(cfg *wrangler.Config) []worker.Binding {
	var list []worker.Binding
	for _, p := range cfg.Queues.Producers {
		b := queuejs.Producer{Binding: p.Binding, Queue: p.Queue, Sender: s.queues}
		if p.DeliveryDelay != nil {
			b.Delay = queues.DelaySeconds(int32(*p.DeliveryDelay / time.Second))
		}
		list = append(list, b)
	}
	return list
}

// attachConsumers connects a generation's queue() handler to its queues.
func (s *Server) attachConsumers(svc *service, g *generation) error {
	for _, c := range g.config.Queues.Consumers {
		if c.Type != wrangler.PushConsumer {
			continue
		}
		detach, err := s.queues.Attach(c.Queue, queuejs.Consumer{Isolate: g.Isolate})
		if err != nil {
			return fmt.Errorf("consumer of queue %q: %w", c.Queue, err)
		}
		g.detach = append(g.detach, detach)
	}
	return nil
}

// activity turns what happens in the broker into lines (C-33, C-34). It runs on the broker's goroutine.
// A queue that another session consumes is that session's to tell of.
func (s *Server) activity(a queues.Activity) {
	if s.queues.Elsewhere(a.Queue) {
		return
	}
	switch a.Kind {
	case queues.ActivityBatch:
		if !s.report.Shows(report.Info) {
			return
		}
		color := "yellow"
		switch a.Acked {
		case a.Count:
			color = "green"
		case 0:
			color = "red"
		}
		s.report.Line(report.Info, "queue", fmt.Sprintf("QUEUE %s %s %s", a.Queue, s.report.Paint(color, fmt.Sprintf("%d/%d", a.Acked, a.Count)),
			s.report.Paint("dim", "("+report.Duration(a.Duration)+")")),
			report.F("queue", a.Queue), report.F("acked", a.Acked), report.F("total", a.Count), report.F("ms", a.Duration.Milliseconds()))
	case queues.ActivityDeadLettered:
		for _, m := range a.Messages {
			s.report.Line(report.Warn, "dead-letter", fmt.Sprintf("Moving message %q on queue %q to dead letter queue %q after %d failed attempt%s...",
				m.ID, a.Queue, a.DeadLetterQueue, m.Attempts, plural(m.Attempts)),
				report.F("queue", a.Queue), report.F("deadLetterQueue", a.DeadLetterQueue), report.F("id", m.ID.String()), report.F("attempts", m.Attempts))
		}
	case queues.ActivityDropped:
		for _, m := range a.Messages {
			s.report.Line(report.Warn, "dropped", fmt.Sprintf("Dropped message %q on queue %q after %d failed attempt%s!", m.ID, a.Queue, m.Attempts, plural(m.Attempts)),
				report.F("queue", a.Queue), report.F("id", m.ID.String()), report.F("attempts", m.Attempts))
		}
	case queues.ActivityRetried:
		if !s.report.Shows(report.Debug) {
			return
		}
		for _, m := range a.Messages {
			s.report.Line(report.Debug, "retry", fmt.Sprintf("Retrying message %q on queue %q...", m.ID, a.Queue),
				report.F("queue", a.Queue), report.F("id", m.ID.String()), report.F("attempts", m.Attempts))
		}
	case queues.ActivityExpired:
		s.report.Line(report.Warn, "expired", fmt.Sprintf("%d message%s on queue %q reached the end of the retention period and %s deleted.",
			a.Count, plural(a.Count), a.Queue, map[bool]string{true: "was", false: "were"}[a.Count == 1]), report.F("queue", a.Queue), report.F("count", a.Count))
	}
}

// Broker is the session's own, nil while the session shares that of another one.
func (s *Server) Broker() *queues.Broker { return s.queues.Broker() }
