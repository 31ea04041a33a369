package queues

import (
	"fmt"
	"slices"
	"time"
)

// decision is one step of the pure core. It looks at the state, and emits each change as an event, which is applied at
// once. Time, ids and randomness come from outside and go into the events.
type decision struct {
	state *State
	now   int64
	// newID and random are the only sources of ids and jitter.
	newID  func() ID
	random func() float64
	// record is called with each event before it is applied; the broker encodes it for the log.
	record func(LogEvent)
}

// emit records and applies. An event that does not apply is a bug in the deciding code.
func (d *decision) emit(e LogEvent) {
	d.record(e)
	if err := e.apply(d.state); err != nil {
		panic(fmt.Sprintf("queues: decided an event that does not apply: %v", err))
	}
}

func (d *decision) at() time.Time { return fromMillis(d.now) }

// find returns the queue of that name, with its delays brought up to date.
func (d *decision) find(name string) (*queue, error) {
	q := d.state.byName[name]
	if q == nil {
		return nil, notFound(name)
	}
	q.promote(d.now)
	d.state.touch(q)
	return q, nil
}

// send adds messages to a queue. The answer describes the queue before them (P-5).
func (d *decision) send(name string, msgs []Outgoing, delay Delay) (Metrics, *queue, error) {
	q, err := d.find(name)
	if err != nil {
		return Metrics{}, nil, err
	}
	e := &Sent{Queue: q.serial, Items: make([]SentItem, len(msgs))}
	var bytes int64
	for i := range msgs {
		m := &msgs[i]
		bytes += int64(len(m.Body))
		e.Items[i] = SentItem{
			ID: d.newID(), ContentType: m.ContentType, Body: m.Body,
			Delay: m.Delay.or(delay).or(seconds(q.settings.DeliveryDelay)).millis(), // P-31
		}
	}
	if q.bytes+bytes > MaxBacklogBytes {
		return Metrics{}, nil, newError(CodeStorage, "Storage Limit Exceeded") // P-28
	}
	before := q.metrics()
	d.emit(e)
	return before, q, nil
}

// ensureQueue finds a queue or makes one with default settings.
func (d *decision) ensureQueue(name string) *queue {
	if q, err := d.find(name); err == nil {
		return q
	}
	d.emit(
		&QueueCreated{
			Serial:   d.state.nextSerial,
			ID:       d.newID(),
			Name:     name,
			At:       d.at(),
			Settings: DefaultQueueSettings(),
		},
	)
	return d.state.byName[name]
}

func (d *decision) createQueue(name string, s QueueSettings) (*queue, error) {
	if err := checkQueueName(name); err != nil {
		return nil, err
	}
	if err := s.validate(name); err != nil {
		return nil, err
	}
	if d.state.byName[name] != nil {
		return nil, fmt.Errorf("create queue %q: %w", name, ErrQueueExists)
	}
	if len(d.state.byName) >= MaxQueues {
		return nil, fmt.Errorf("create queue %q: %w", name, ErrTooManyQueues)
	}
	d.emit(&QueueCreated{Serial: d.state.nextSerial, ID: d.newID(), Name: name, At: d.at(), Settings: s})
	return d.state.byName[name], nil
}

func (d *decision) updateQueue(name, newName string, s QueueSettings) (*queue, error) {
	q, err := d.find(name)
	if err != nil {
		return nil, err
	}
	if err := checkQueueName(newName); err != nil {
		return nil, err
	}
	if err := s.validate(newName); err != nil {
		return nil, err
	}
	if newName != name && d.state.byName[newName] != nil {
		return nil, fmt.Errorf("rename queue %q to %q: %w", name, newName, ErrQueueExists)
	}
	if q.name != newName || q.settings != s {
		d.emit(&QueueUpdated{Queue: q.serial, Name: newName, At: d.at(), Settings: s})
	}
	return q, nil
}

// setConsumer gives q its consumer, or changes it if replace is set.
func (d *decision) setConsumer(c ConsumerConfig, replace, declared bool) (*queue, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	q, err := d.find(c.Queue)
	if err != nil {
		return nil, err
	}
	if c.DeadLetterQueue != "" {
		d.ensureQueue(c.DeadLetterQueue)
	}
	e := &ConsumerSet{Queue: q.serial, At: d.at(), Declared: declared, Config: c}
	if q.consumer != nil {
		if !replace {
			return nil, fmt.Errorf("consumer of queue %q: %w", c.Queue, ErrConsumerExists)
		}
		if q.config() == c && q.consumer.declared == declared {
			return q, nil
		}
		e.ID = q.consumer.id
	} else {
		e.ID = d.newID()
	}
	d.emit(e)
	return q, nil
}

// declare brings queues and consumers in line with a project's configuration. Declaring the same twice changes
// nothing.
func (d *decision) declare(t Topology) {
	for _, name := range t.Queues {
		d.ensureQueue(name)
	}
	declared := map[string]bool{}
	for _, c := range t.Consumers {
		d.ensureQueue(c.Queue)
		declared[c.Queue] = true
		if _, err := d.setConsumer(c, true, true); err != nil {
			panic(fmt.Sprintf("queues: declared a consumer that was validated: %v", err))
		}
	}
	for _, q := range d.sortedQueues() {
		if q.consumer != nil && q.consumer.declared && !declared[q.name] {
			d.emit(&ConsumerRemoved{Queue: q.serial, At: d.at()})
		}
	}
}

func (d *decision) sortedQueues() []*queue { return d.state.sorted() }

func (s *State) sorted() []*queue {
	out := make([]*queue, 0, len(s.queues))
	for _, q := range s.queues {
		out = append(out, q)
	}
	slices.SortFunc(out, bySerial)
	return out
}

func bySerial(a, b *queue) int { return int(int64(a.serial) - int64(b.serial)) }
