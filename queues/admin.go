package queues

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Declare brings the broker in line with a project's configuration: queues are made, consumers that an earlier Declare
// set and this one lacks are removed. Declaring the same again changes nothing and writes nothing. All mistakes are
// reported together; if there are any, nothing is done.
func (b *Broker) Declare(ctx context.Context, topologies Topology) error {
	var errs []error
	for _, name := range topologies.Queues {
		errs = append(errs, checkQueueName(name))
	}
	seen := map[string]bool{}
	for _, c := range topologies.Consumers {
		errs = append(errs, checkQueueName(c.Queue), c.validate())
		if seen[c.Queue] {
			errs = append(errs, fmt.Errorf("multiple consumers defined for queue %q", c.Queue)) // K-17
		}
		seen[c.Queue] = true
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return b.call(ctx, func(t *turn) error {
		t.declare(topologies)
		return nil
	})
}

// CreateQueue makes a queue.
func (b *Broker) CreateQueue(ctx context.Context, name string, s QueueSettings) (info QueueInfo, err error) {
	err = b.call(ctx, func(t *turn) error {
		q, err := t.createQueue(name, s)
		if err == nil {
			info = q.info()
		}
		return err
	})
	return info, err
}

// ChangeQueue changes name and settings of the queue with an id. It calls next with what the queue is at that moment,
// and next returns what it shall become; so two changes at one time do not undo each other. next runs on the broker's
// goroutine and must not block. If it returns an error, ChangeQueue returns that and changes nothing. Pausing ends
// neither deliveries in flight nor leases (D-17). The error is an [*Error] with code 10104 if there is no such queue.
func (b *Broker) ChangeQueue(
	ctx context.Context,
	id ID,
	next func(QueueInfo) (string, QueueSettings, error),
) (info QueueInfo, err error) {
	err = b.call(ctx, func(t *turn) error {
		q := t.state.byID[id]
		if q == nil {
			return notFound(id.String())
		}
		info, err = t.change(q, next)
		return err
	})
	return info, err
}

// UpdateQueue replaces the settings of a queue and, if newName is not empty, its name.
func (b *Broker) UpdateQueue(ctx context.Context, name, newName string, s QueueSettings) (info QueueInfo, err error) {
	err = b.call(ctx, func(t *turn) error {
		q, err := t.find(name)
		if err == nil {
			info, err = t.change(
				q,
				func(QueueInfo) (string, QueueSettings, error) { return cmp.Or(newName, name), s, nil },
			)
		}
		return err
	})
	return info, err
}

// Pause stops deliveries and pulls from a queue, or starts them again (D-17, K-11). Other settings stay, also those
// that somebody changes at the same time.
func (b *Broker) Pause(ctx context.Context, name string, paused bool) error {
	return b.call(ctx, func(t *turn) error {
		q, err := t.find(name)
		if err != nil {
			return err
		}
		_, err = t.change(q, func(info QueueInfo) (string, QueueSettings, error) {
			info.Settings.DeliveryPaused = paused
			return info.Name, info.Settings, nil
		})
		return err
	})
}

// change replaces a queue's name and settings by what next returns for them.
func (t *turn) change(q *queue, next func(QueueInfo) (string, QueueSettings, error)) (QueueInfo, error) {
	was := q.settings.DeliveryPaused
	name, s, err := next(q.info())
	if err != nil {
		return QueueInfo{}, err
	}
	if _, err := t.updateQueue(q.name, name, s); err != nil {
		return QueueInfo{}, err
	}
	if s.DeliveryPaused != was {
		kind := ActivityResumed
		if s.DeliveryPaused {
			kind = ActivityPaused
		}
		t.tell(Activity{Kind: kind, Queue: name})
	}
	return q.info(), nil
}

// DeleteQueue removes a queue with its consumer and all its messages.
func (b *Broker) DeleteQueue(ctx context.Context, name string) error {
	return b.call(ctx, func(t *turn) error {
		q, err := t.find(name)
		if err != nil {
			return err
		}
		t.emit(&QueueDeleted{Queue: q.serial})
		return nil
	})
}

// Purge deletes all messages of a queue. Deliveries in flight may finish, but nothing they retry comes back (D-18).
func (b *Broker) Purge(ctx context.Context, name string) (removed int64, err error) {
	err = b.call(ctx, func(t *turn) error {
		q, err := t.find(name)
		if err != nil {
			return err
		}
		removed = int64(q.arrival.n)
		t.emit(&Purged{Queue: q.serial, At: t.at()})
		t.tell(Activity{Kind: ActivityPurged, Queue: name, Count: int(removed)})
		return nil
	})
	return removed, err
}

// SetConsumer gives a queue its consumer. If it has one, that is an error wrapping [ErrConsumerExists], unless
// replace is set.
func (b *Broker) SetConsumer(ctx context.Context, c ConsumerConfig, replace bool) (info ConsumerInfo, err error) {
	err = b.call(ctx, func(t *turn) error {
		q, err := t.setConsumer(c, replace, false)
		if err == nil {
			info = q.consumerInfo()
		}
		return err
	})
	return info, err
}

// RemoveConsumer takes a queue's consumer away; its messages wait for the next one (D-19).
func (b *Broker) RemoveConsumer(ctx context.Context, queue string) error {
	return b.call(ctx, func(t *turn) error {
		q, err := t.find(queue)
		if err != nil {
			return err
		}
		if q.consumer == nil {
			return fmt.Errorf("remove the consumer of queue %q: %w", queue, ErrNoConsumer)
		}
		t.emit(&ConsumerRemoved{Queue: q.serial, At: t.at()})
		return nil
	})
}
