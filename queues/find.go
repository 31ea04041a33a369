package queues

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
)

// PeekFilter selects messages that wait in a queue. The zero value selects all.
type PeekFilter struct {
	// State is that of [Peeked], "" for any.
	State string
	// Contains is in the body, in upper or lower case, or the id begins with it.
	Contains string
	// ID is the beginning of the id.
	ID string
	// Since and Until bound when it was sent, the ends included; zero does not.
	Since, Until time.Time
}

// selects tells whether a message fits all of the filter but its text.
func (f *PeekFilter) selects(p Peeked, m *message) bool {
	return (f.State == "" || p.State == f.State) && strings.HasPrefix(m.id.String(), f.ID) &&
		(f.Since.IsZero() || m.sent >= f.Since.UnixMilli()) && (f.Until.IsZero() || m.sent <= f.Until.UnixMilli())
}

// Find shows the messages of a queue that a filter selects, in order of arrival: at most limit of them, and how many
// there are. It has no effect (H-16). Bodies are read only of what is shown, and, if the filter looks into them, of
// what
// has the state.
func (b *Broker) Find(ctx context.Context, queue string, f PeekFilter, limit int) (
	out []Peeked, matches int, err error) {
	text := bytes.ToLower([]byte(f.Contains))
	for next, more := uint64(0), true; more; {
		var part []Peeked
		var bodies []Message
		err = b.call(ctx, func(t *turn) error {
			q, err := t.find(queue)
			if err != nil {
				return err
			}
			var msgs []*message
			m := q.from(next)
			for looked := 0; m != nil && looked < partSize; looked++ {
				next = m.num + 1
				if p := q.peeked(m); f.selects(p, m) {
					if len(text) == 0 {
						matches++
					}
					if len(text) > 0 || len(out)+len(part) < limit {
						msgs, part = append(msgs, m), append(part, p)
					}
				}
				m = m.link[byArrival].next
			}
			more = m != nil
			if bodies, err = t.bodies(msgs); err != nil {
				return fmt.Errorf("look into queue %q: %w", queue, err)
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
		for i := range part {
			part[i].Message = bodies[i]
			part[i].Attempts--
			if len(text) > 0 {
				if !bytes.Contains(bytes.ToLower(bodies[i].Body), text) && !strings.HasPrefix(bodies[i].ID.String(),
					f.Contains) {
					continue
				}
				matches++
			}
			if len(out) < limit {
				out = append(out, part[i])
			}
		}
	}
	return out, matches, nil
}
