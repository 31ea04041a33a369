package queues

import (
	"fmt"
	"time"
)

// QueueCreated makes a queue. Serial names it in all other events; names can change hands, serials cannot.
type QueueCreated struct {
	Serial   uint64
	ID       ID
	Name     string
	At       time.Time
	Settings QueueSettings
}

func (*QueueCreated) kind() uint16 { return 1 }
func (e *QueueCreated) code(c *coder) {
	c.uint(&e.Serial)
	c.id(&e.ID)
	c.string(&e.Name)
	c.time(&e.At)
	codeSettings(c, &e.Settings)
}

func codeSettings(c *coder, s *QueueSettings) {
	c.duration(&s.DeliveryDelay)
	c.bool(&s.DeliveryPaused)
	c.duration(&s.Retention)
}

func (e *QueueCreated) apply(s *State) error {
	if s.byName[e.Name] != nil || s.queues[e.Serial] != nil {
		return fmt.Errorf("queue %q (%d) is created twice", e.Name, e.Serial)
	}
	q := &queue{serial: e.Serial, id: e.ID, name: e.Name, created: e.At, modified: e.At, settings: e.Settings}
	q.ready.which, q.arrival.which = byReady, byArrival
	s.queues[e.Serial] = q
	s.byName[e.Name], s.byID[e.ID] = q, q
	s.nextSerial = max(s.nextSerial, e.Serial+1)
	s.touch(q)
	return nil
}

// QueueUpdated replaces name and settings.
type QueueUpdated struct {
	Queue    uint64
	Name     string
	At       time.Time
	Settings QueueSettings
}

func (*QueueUpdated) kind() uint16 { return 2 }
func (e *QueueUpdated) code(c *coder) {
	c.uint(&e.Queue)
	c.string(&e.Name)
	c.time(&e.At)
	codeSettings(c, &e.Settings)
}

func (e *QueueUpdated) apply(s *State) error {
	q, err := s.queue(e.Queue)
	if err != nil {
		return err
	}
	delete(s.byName, q.name)
	q.name, q.modified, q.settings = e.Name, e.At, e.Settings
	s.byName[q.name] = q
	return nil
}

// QueueDeleted removes a queue with all its messages.
type QueueDeleted struct{ Queue uint64 }

func (*QueueDeleted) kind() uint16    { return 3 }
func (e *QueueDeleted) code(c *coder) { c.uint(&e.Queue) }
func (e *QueueDeleted) apply(s *State) error {
	q, err := s.queue(e.Queue)
	if err != nil {
		return err
	}
	s.clear(q)
	delete(s.byName, q.name)
	delete(s.queues, q.serial)
	delete(s.byID, q.id)
	q.deleted = true
	return nil
}

// ConsumerSet gives a queue its consumer, or changes it.
type ConsumerSet struct {
	Queue uint64
	ID    ID
	At    time.Time
	// Declared consumers came from the project's configuration and go with it.
	Declared bool
	Config   ConsumerConfig
}

func (*ConsumerSet) kind() uint16 { return 4 }
func (e *ConsumerSet) code(c *coder) {
	c.uint(&e.Queue)
	c.id(&e.ID)
	c.time(&e.At)
	c.bool(&e.Declared)
	f := &e.Config
	codeInt(c, &f.Type)
	c.string(&f.Script)
	codeInt(c, &f.MaxBatchSize)
	c.duration(&f.MaxBatchTimeout)
	codeInt(c, &f.MaxRetries)
	c.duration(&f.RetryDelay)
	c.string(&f.DeadLetterQueue)
	codeInt(c, &f.MaxConcurrency)
	c.duration(&f.VisibilityTimeout)
}

func (e *ConsumerSet) apply(s *State) error {
	q, err := s.queue(e.Queue)
	if err != nil {
		return err
	}
	created := e.At
	if q.consumer != nil && q.consumer.id == e.ID {
		created = q.consumer.created
	}
	q.consumer = &consumer{id: e.ID, created: created, declared: e.Declared, config: e.Config}
	q.modified = e.At
	return nil
}

// ConsumerRemoved takes a queue's consumer away; the messages stay (D-19).
type ConsumerRemoved struct {
	Queue uint64
	At    time.Time
}

func (*ConsumerRemoved) kind() uint16    { return 5 }
func (e *ConsumerRemoved) code(c *coder) { c.uint(&e.Queue); c.time(&e.At) }
func (e *ConsumerRemoved) apply(s *State) error {
	q, err := s.queue(e.Queue)
	if err != nil {
		return err
	}
	q.consumer = nil
	q.modified = e.At
	return nil
}

// Noted adds to the operator's log (Z0-12).
type Noted struct{ Note Note }

func (*Noted) kind() uint16 { return 16 }
func (e *Noted) code(c *coder) {
	codeNote(c, &e.Note)
}

func codeNote(c *coder, n *Note) {
	c.time(&n.At)
	c.string(&n.Action)
	c.string(&n.Queue)
	c.string(&n.Text)
	k := c.count(len(n.Messages))
	if c.reading {
		n.Messages = make([]string, k)
	}
	for i := range n.Messages {
		c.string(&n.Messages[i])
	}
}

func (e *Noted) apply(s *State) error {
	s.notes = append(s.notes, e.Note)
	if len(s.notes) > maxNotes {
		s.notes = append([]Note(nil), s.notes[len(s.notes)-maxNotes:]...)
	}
	return nil
}

// Note is an entry of the operator's log: what was done by hand to which messages, and why.
type Note struct {
	At     time.Time
	Action string // "redrive", "edit", "skip", "escalate", "remove", "purge", …
	Queue  string
	Text   string
	// Messages are ids, at most 100; the text says how many there were.
	Messages []string
}

// maxNotes bounds the operator's log.
const maxNotes = 10_000
