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

// Apply does nothing: there is nothing of it in the public configuration.
func (option) Apply(*queue.QueueConfig) {}

// WithQueue gives a topic the queue of that name. topic is a short name, as given to Enqueue and Subscribe, in
// whatever app and namespace, or a full one.
func WithQueue(topic, name string) queue.QueueOption {
	return option(func(s *store) { s.names[topic] = name })
}

// WithContentType says as what a Worker gets payloads: queues.ContentBytes (the default) as an ArrayBuffer,
// ContentText as a string, ContentJSON as the value that the payload is the JSON text of.
func WithContentType(ct queues.ContentType) queue.QueueOption {
	return option(func(s *store) { s.content = ct })
}

// New returns a service on a broker in this process, which stays the caller's: Close leaves it open.
func New(_ context.Context, broker *queues.Broker, opts ...queue.QueueOption) (*Service, error) {
	s, cfg := newStore(opts)
	s.log = local{broker}
	return &Service{work.NewBase(s, cfg, work.Traits{Numbered: true})}, nil
}

// Open returns a service on a log of its own in the folder dir, which is made if it does not exist. One process can
// have it open. Close closes it.
func Open(_ context.Context, dir string, opts ...queue.QueueOption) (*Service, error) {
	s, cfg := newStore(opts)
	broker, _, err := queues.Open(queues.Options{Dir: dir, Clock: houseClock(cfg.Clock)})
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
	return s, work.Resolve(rest)
}
