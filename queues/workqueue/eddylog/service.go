package eddylog

import (
	"context"
	"fmt"

	"eddy/queues"
	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

// Service is a queue.Service on queues of eddy. EnqueueBatch stores several jobs in one step.
type Service struct{ *work.Base }

var _ queue.Service = (*Service)(nil)

// option is a queue.QueueOption of this package.
type option func(*store)

// Apply implements queue.QueueOption. It does nothing: the public configuration has no place for these options.
func (option) Apply(*queue.QueueConfig) {}

// WithQueue keeps the jobs of a topic in the queue of that name. topic is a full name, or a short one, as given to
// Enqueue and Subscribe, which then stands for that topic in every app and namespace.
func WithQueue(topic, name string) queue.QueueOption {
	return option(func(s *store) { s.names[topic] = name })
}

// WithContentType sets the content type of messages, and so the type of the body in a Worker: an ArrayBuffer for
// queues.ContentBytes (the default), a string for ContentText, the parsed value of the JSON text for ContentJSON.
func WithContentType(ct queues.ContentType) queue.QueueOption {
	return option(func(s *store) { s.content = ct })
}

// New returns a service on a broker in this process, which stays the caller's: Close leaves it open.
func New(_ context.Context, broker *queues.Broker, opts ...queue.QueueOption) (*Service, error) {
	s, cfg := newStore(opts)
	s.log = local{broker}
	return &Service{work.NewBase(s, cfg, work.Traits{Numbered: true})}, nil
}

// Open returns a service on a log of its own in the folder dir, which is made if it does not exist. Only one process at
// a time can have it open. Close closes it.
func Open(_ context.Context, dir string, opts ...queue.QueueOption) (*Service, error) {
	s, cfg := newStore(opts)
	broker, _, err := queues.Open(queues.Options{Dir: dir, Clock: brokerClock(cfg.Clock)})
	if err != nil {
		return nil, fmt.Errorf("queue/eddylog: %w", err)
	}
	s.log, s.owned = local{broker}, broker
	return &Service{work.NewBase(s, cfg, work.Traits{Numbered: true})}, nil
}

// Join returns a service on the queues of the session that runs on a state directory: eddy dev's --persist-to, by
// default .wrangler/state beside the configuration. It fails if there is none; later the session may be restarted.
func Join(ctx context.Context, state string, opts ...queue.QueueOption) (*Service, error) {
	s, cfg := newStore(opts)
	r := &remote{state: state}
	if _, err := r.session(ctx); err != nil {
		return nil, fmt.Errorf("queue/eddylog: %w", err)
	}
	s.log = r
	return &Service{work.NewBase(s, cfg, work.Traits{Numbered: true})}, nil
}

func newStore(opts []queue.QueueOption) (*store, work.Config) {
	s := &store{names: map[string]string{}, content: queues.ContentBytes}
	var rest []queue.QueueOption
	for _, o := range opts {
		if ours, ok := o.(option); ok {
			ours(s)
		} else {
			rest = append(rest, o)
		}
	}
	cfg := work.Resolve(rest)
	s.slog = cfg.Log
	return s, cfg
}
