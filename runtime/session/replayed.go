package session

import (
	"context"
	"time"

	"eddy/queues"
	"eddy/runtime/cause"
)

// DeliverLane is [queuejs.DOQueues.Deliver], for a session that is driven.
func (s *Session) DeliverLane(ctx context.Context, b *queues.LaneBatch, done func(queues.Outcome)) error {
	return s.lanes.Deliver(ctx, b, done)
}

// RunAlarm is [objectjs.Objects.RunAlarm].
func (s *Session) RunAlarm(ctx context.Context, namespace, id, name string, scheduled time.Time, retries int,
	from cause.Cause) error {
	return s.objects.RunAlarm(ctx, namespace, id, name, scheduled, retries, from)
}
