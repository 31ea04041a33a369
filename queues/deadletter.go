package queues

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// DeadLetterFilter chooses dead letters; the zero value means all of them.
type DeadLetterFilter struct {
	// Source is the queue in which they failed.
	Source string
	// Since and Until bound the time of the last attempt; zero is unbounded.
	Since, Until time.Time
	// Error is a part of the error's text or of the reason.
	Error string
	// IDs are message ids.
	IDs []ID
	// Limit is how many at most, oldest first; 0 is all.
	Limit int
}

func (f DeadLetterFilter) match(m *message) bool {
	if m.hist == nil || m.hist.dead == nil {
		return false
	}
	d := m.hist.dead
	return (f.Source == "" || d.Source == f.Source) &&
		(f.Since.IsZero() || !d.LastAttempt.Before(f.Since)) &&
		(f.Until.IsZero() || !d.LastAttempt.After(f.Until)) &&
		(f.Error == "" || strings.Contains(d.Error, f.Error) || strings.Contains(d.Reason, f.Error)) &&
		(len(f.IDs) == 0 || slices.Contains(f.IDs, m.id))
}

// choose returns the messages of q that match and that nobody is working on. It stops after the last dead letter or, if
// the filter has ids, after the last of these.
func (f DeadLetterFilter) choose(q *queue) []*message {
	limit := q.dead
	if len(f.IDs) > 0 {
		limit = min(limit, len(f.IDs))
	}
	if f.Limit > 0 {
		limit = min(limit, f.Limit)
	}
	var out []*message
	left := q.dead
	for m := q.arrival.head; m != nil && left > 0 && len(out) < limit; m = m.link[byArrival].next {
		if m.hist == nil || m.hist.dead == nil {
			continue
		}
		left--
		if m.at != atLease && f.match(m) {
			out = append(out, m)
		}
	}
	return out
}

// DeadLetters shows dead letters in a queue, oldest first, with what is known about their failure (Z0-11).
func (b *Broker) DeadLetters(ctx context.Context, queue string, f DeadLetterFilter) ([]Peeked, error) {
	limit := f.Limit
	if limit == 0 {
		limit = int(^uint(0) >> 1)
	}
	return b.peek(ctx, queue, limit, f.match)
}

// RedriveOptions are the options of a redrive.
type RedriveOptions struct {
	// To is the queue they go to; empty means the one each failed in.
	To string
	// NewID gives them a new id and timestamp (BE-13); else they keep both.
	NewID bool
	// Note goes into the operator's log.
	Note string
}

// Redrive moves dead letters back, oldest first. Their attempts start again. Those in flight are left out.
func (b *Broker) Redrive(ctx context.Context, name string, f DeadLetterFilter, o RedriveOptions) (n int, err error) {
	err = b.operate(ctx, "redrive", name, f, o.Note, func(t *turn, q *queue, msgs []*message) error {
		targets := map[string][]*message{}
		var order []string
		for _, m := range msgs {
			to := o.To
			if to == "" {
				to = m.hist.dead.Source
			}
			if targets[to] == nil {
				if t.state.byName[to] == nil {
					return fmt.Errorf("redrive from queue %q: %w", name, notFound(to))
				}
				if to == name {
					return fmt.Errorf("redrive from queue %q to itself", name)
				}
				order = append(order, to)
			}
			targets[to] = append(targets[to], m)
		}
		for _, to := range order {
			e := &Redriven{Queue: q.serial, To: t.state.byName[to].serial, Nums: nums(targets[to])}
			for range e.Nums {
				if o.NewID {
					e.NewIDs = append(e.NewIDs, t.newID())
				}
			}
			t.emit(e)
		}
		n = len(msgs)
		return nil
	})
	return n, err
}

// Skip deletes dead letters and records why (Z0-12, "reconciliation").
func (b *Broker) Skip(ctx context.Context, name string, f DeadLetterFilter, note string) (n int, err error) {
	err = b.operate(ctx, "skip", name, f, note, func(t *turn, q *queue, msgs []*message) error {
		n = len(msgs)
		t.emit(&Dropped{Queue: q.serial, Reason: DropSkipped, Nums: nums(msgs)})
		return nil
	})
	return n, err
}

// Escalate marks dead letters as handed on to somebody (Z0-12).
func (b *Broker) Escalate(ctx context.Context, name string, f DeadLetterFilter, note string) (n int, err error) {
	err = b.operate(ctx, "escalate", name, f, note, func(t *turn, q *queue, msgs []*message) error {
		n = len(msgs)
		t.emit(&Escalated{Queue: q.serial, Note: note, Nums: nums(msgs)})
		return nil
	})
	return n, err
}

// operate runs an operator's action on the dead letters that are chosen, and notes it. If none is chosen, it does
// nothing.
func (b *Broker) operate(
	ctx context.Context,
	action, name string,
	f DeadLetterFilter,
	note string,
	act func(*turn, *queue, []*message) error,
) error {
	return b.call(ctx, func(t *turn) error {
		q, err := t.find(name)
		if err != nil {
			return err
		}
		msgs := f.choose(q)
		if len(msgs) == 0 {
			return nil
		}
		var ids []string
		for _, m := range msgs[:min(len(msgs), 100)] {
			ids = append(ids, m.id.String())
		}
		if len(msgs) > len(ids) {
			note = strings.TrimSpace(fmt.Sprintf("%s (%d messages)", note, len(msgs)))
		}
		refs := t.refs(msgs, 0)
		if err := act(t, q, msgs); err != nil {
			return err
		}
		t.emit(&Noted{Note{At: t.at(), Action: action, Queue: name, Text: note, Messages: ids}})
		t.tell(
			Activity{
				Kind:     ActivityOperator,
				Queue:    name,
				Count:    len(msgs),
				Messages: refs,
				Reason:   action,
				Error:    note,
			},
		)
		return nil
	})
}

// Edit replaces the body of a waiting message, named by the ref that a peek gave.
func (b *Broker) Edit(ctx context.Context, queue, ref string, ct ContentType, body []byte, note string) error {
	if err := CheckSend([]Outgoing{{Body: body}}, false, Delay{}); err != nil {
		return err
	}
	return b.call(ctx, func(t *turn) error {
		q, err := t.find(queue)
		if err != nil {
			return err
		}
		tok, err := q.token(ref)
		if err != nil {
			return err
		}
		m := q.numbers.get(tok.num)
		if m == nil {
			return fmt.Errorf("edit %s in queue %q: %w", ref, queue, ErrNoMessage)
		}
		if m.at == atLease {
			return fmt.Errorf("edit message %s in queue %q: it is in flight", m.id, queue)
		}
		t.emit(&Edited{Queue: q.serial, Num: m.num, ContentType: ct, Body: body})
		t.emit(&Noted{Note{At: t.at(), Action: "edit", Queue: queue, Text: note, Messages: []string{m.id.String()}}})
		t.tell(
			Activity{
				Kind:     ActivityOperator,
				Queue:    queue,
				Count:    1,
				Messages: t.refs([]*message{m}, 0),
				Reason:   "edit",
				Error:    note,
			},
		)
		return nil
	})
}
