package queues

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"eddy/runtime/clock"
)

// UntilEmpty moves virtual time on until a queue, all that have a consumer for "", has nothing left to deliver. If
// nothing is due that could deliver what it has, that is an error.
func (b *Broker) UntilEmpty(ctx context.Context, m clock.Mover, name string) error {
	for range clock.IdleMoves {
		left, err := b.left(ctx, name)
		if err != nil || left == "" {
			return err
		}
		d, ok := m.Next()
		if !ok || d > clock.IdleHorizon {
			return fmt.Errorf("drain: nothing is due that could deliver %s", left)
		}
		if err := m.By(ctx, d); err != nil {
			return err
		}
	}
	return errors.New("drain: the messages come back without end")
}

// left names the queues that UntilEmpty waits for, with what they have.
func (b *Broker) left(ctx context.Context, name string) (string, error) {
	all, err := b.Queues(ctx)
	if err != nil {
		return "", err
	}
	var left []string
	found := name == ""
	for _, q := range all {
		if name != "" && q.Name != name {
			continue
		}
		found = true
		n := q.Ready + q.Delayed + q.InFlight
		if n > 0 && (name != "" || q.Consumer != nil && q.Consumer.Attached && !q.Settings.DeliveryPaused) {
			left = append(left, fmt.Sprintf("%s with %d messages", q.Name, n))
		}
	}
	if !found {
		return "", fmt.Errorf("queue %q: there is none of that name", name)
	}
	return strings.Join(left, ", "), nil
}
