package session

import (
	"context"
	"fmt"
	"time"

	"eddy/queues"
	"eddy/queues/queuejs"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// declare brings the queues in line with configurations, which are all of the session's.
func (s *Session) declare(configs []*wrangler.Config) error {
	var t queues.Topology
	for _, cfg := range configs {
		t = withConfig(t, cfg)
	}
	err := s.queues.Declare(context.Background(), t)
	if err == nil {
		err = s.tellUnnamed(context.Background(), t)
	}
	if err != nil {
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

// queueBindings are a Worker's bindings to queues.
func (s *Session) queueBindings(cfg *wrangler.Config) []worker.Binding {
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

// addQueues makes the queues that a changed configuration names and the broker lacks.
func (s *Session) addQueues(ctx context.Context, cfg *wrangler.Config) error {
	t := queues.Topology{}
	for _, live := range s.liveConfigs(nil) {
		t = withConfig(t, live)
	}
	for _, p := range cfg.Queues.Producers {
		t.Queues = append(t.Queues, p.Queue)
	}
	if err := s.queues.Declare(ctx, t); err != nil {
		return fmt.Errorf("queues: %w", err)
	}
	return nil
}
