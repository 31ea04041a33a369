package session

import (
	"context"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/queues"
	"eddy/runtime/cause"
)

// DeliverLane is [queuejs.DOQueues.Deliver], for a session that is driven.
func (s *Session) DeliverLane(ctx context.Context, b *queues.LaneBatch, done func(queues.Outcome)) error {
	return s.lanes.Deliver(ctx, b, done)
}

// LaneConfig is [queuejs.DOQueues.Config].
func (s *Session) LaneConfig(queue string) (queues.LaneConfig, error) { return s.lanes.Config(queue) }

// DeadLetterLane is [queuejs.DOQueues.DeadLetter], for a session that is driven.
func (s *Session) DeadLetterLane(ctx context.Context, dead *queues.LaneDeadLetter, done func(error)) error {
	return s.lanes.DeadLetter(ctx, dead, done)
}

// RunSocket is [objectjs.Objects.RunSocket].
func (s *Session) RunSocket(ctx context.Context, namespace, id, name string, come objectjs.SocketCome) error {
	return s.objects.RunSocket(ctx, namespace, id, name, come)
}

// RunAlarm is [objectjs.Objects.RunAlarm].
func (s *Session) RunAlarm(ctx context.Context, namespace, id, name string, scheduled time.Time, retries int,
	from cause.Cause) error {
	return s.objects.RunAlarm(ctx, namespace, id, name, scheduled, retries, from)
}
