package clock

import (
	"context"
	"fmt"
	"time"
)

// Mover moves a paused virtual clock to what is due. Its methods return when all that fell due on the way is done.
type Mover struct {
	Clock *Virtual
	// Slack is how much further than to an event time goes, so that the event can overtake what is late ([Lateness]).
	Slack time.Duration
}

// Limits of the moves that go on until nothing is left.
const (
	// IdleHorizon is how far ahead an event may be to be waited for: retention ends messages after days.
	IdleHorizon = 25 * time.Hour
	// IdleMoves is how many moves there may be: an interval never ends.
	IdleMoves = 100_000
)

// Next is how long it is to the next event, false if none is due.
func (m Mover) Next() (time.Duration, bool) {
	at, ok := m.Clock.Next()
	return at.Sub(m.Clock.Now()), ok
}

// By moves time on by d.
func (m Mover) By(ctx context.Context, d time.Duration) error { return m.Clock.Advance(ctx, d+m.Slack) }

// ToNext moves time to the next event that is due, if there is one.
func (m Mover) ToNext(ctx context.Context) error {
	if d, ok := m.Next(); ok {
		return m.By(ctx, d)
	}
	return nil
}

// ToLast moves time to the latest of several times.
func (m Mover) ToLast(ctx context.Context, times []time.Time) error {
	var last time.Time
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	if last.IsZero() {
		return nil
	}
	return m.By(ctx, max(last.Sub(m.Clock.Now()), 0))
}

// UntilIdle moves time on until nothing is due within [IdleHorizon].
func (m Mover) UntilIdle(ctx context.Context) error {
	for range IdleMoves {
		d, ok := m.Next()
		if !ok || d > IdleHorizon {
			return nil
		}
		if err := m.By(ctx, d); err != nil {
			return err
		}
	}
	return fmt.Errorf("after %d events there is still one due; an interval or an alarm that sets itself again never "+
		"ends",
		IdleMoves)
}
