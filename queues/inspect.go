package queues

import (
	"context"
	"slices"
	"strings"
	"time"
)

// QueueInfo is a copy of what is known about a queue.
type QueueInfo struct {
	ID                ID
	Name              string
	Created, Modified time.Time
	Settings          QueueSettings
	// Consumer is nil if the queue has none.
	Consumer *ConsumerInfo
	Metrics  Metrics
	// Ready messages wait for delivery, Delayed ones for their time, InFlight ones are being worked on, and Held ones
	// cannot be read (see held.go).
	Ready, Delayed, InFlight, Held int
	// DeadLetters counts messages that came here by failing elsewhere.
	DeadLetters int
}

// ConsumerInfo is a copy of what is known about a consumer.
type ConsumerInfo struct {
	ID       ID
	Created  time.Time
	Declared bool
	Config   ConsumerConfig
	// Attached says whether code is there to take batches; InFlight counts its batches in flight, Concurrency is
	// how many it may have now (D-13).
	Attached              bool
	InFlight, Concurrency int
}

func (q *queue) info() QueueInfo {
	i := QueueInfo{
		ID: q.id, Name: q.name, Created: q.created, Modified: q.modified, Settings: q.settings, Metrics: q.metrics(),
		Ready: q.ready.n, Delayed: len(q.delayed), Held: q.heldMessages(),
		DeadLetters: q.dead,
	}
	i.InFlight = q.arrival.n - i.Ready - i.Delayed - i.Held
	if q.consumer != nil {
		c := q.consumerInfo()
		i.Consumer = &c
	}
	return i
}

func (q *queue) consumerInfo() ConsumerInfo {
	c := ConsumerInfo{ID: q.consumer.id, Created: q.consumer.created, Declared: q.consumer.declared, Config: q.config()}
	if d := q.dispatcher; d != nil {
		c.Attached, c.InFlight, c.Concurrency = d.consumer != nil, d.inFlight, d.scaling.limit(q.config())
	}
	return c
}

// Queues lists all queues by name.
func (b *Broker) Queues(ctx context.Context) (out []QueueInfo, err error) {
	err = b.call(ctx, func(t *turn) error {
		for _, q := range t.state.queues {
			q.promote(t.now)
			out = append(out, q.info())
		}
		return nil
	})
	slices.SortFunc(out, func(a, b QueueInfo) int { return strings.Compare(a.Name, b.Name) })
	return out, err
}

// Queue looks a queue up by name; the error is an [*Error] with code 10104 if there is none.
func (b *Broker) Queue(ctx context.Context, name string) (info QueueInfo, err error) {
	err = b.call(ctx, func(t *turn) error {
		q, err := t.find(name)
		if err == nil {
			info = q.info()
		}
		return err
	})
	return info, err
}

// QueueOf looks a queue up by its id, or else by its name; the error is an [*Error] with code 10104 if there is none.
func (b *Broker) QueueOf(ctx context.Context, idOrName string) (info QueueInfo, err error) {
	err = b.call(ctx, func(t *turn) error {
		name := idOrName
		if id, err := ParseID(idOrName); err == nil && t.state.byID[id] != nil {
			name = t.state.byID[id].name
		}
		q, err := t.find(name)
		if err == nil {
			info = q.info()
		}
		return err
	})
	return info, err
}

// Notes are the operator's log, oldest first (Z0-12).
func (b *Broker) Notes(ctx context.Context) (out []Note, err error) {
	err = b.call(ctx, func(t *turn) error {
		out = slices.Clone(t.state.notes)
		return nil
	})
	return out, err
}

// Sizes says how much the log holds.
type Sizes struct {
	Segments  int
	LogBytes  int64 // of segment files
	LiveBytes int64 // of bodies that are waiting
}

// Sizes says how much the log holds.
func (b *Broker) Sizes(ctx context.Context) (s Sizes, err error) {
	err = b.call(ctx, func(t *turn) error {
		for _, seg := range b.log.Segments() {
			s.Segments++
			s.LogBytes += seg.Bytes
		}
		for _, n := range t.state.live {
			s.LiveBytes += n
		}
		return nil
	})
	return s, err
}
