package queues

import (
	"fmt"
	"time"
)

// Sent adds messages to a queue, in order. Their numbers follow from the queue's.
type Sent struct {
	Queue uint64
	Items []SentItem
}

// SentItem is one message of [Sent].
type SentItem struct {
	ID ID
	// Delay is in milliseconds from the time of the group.
	Delay       int64
	ContentType ContentType
	Body        []byte
	off         uint32
}

func (*Sent) kind() uint16 { return 6 }
func (e *Sent) code(c *coder) {
	c.uint(&e.Queue)
	n := c.count(len(e.Items))
	if c.reading {
		e.Items = make([]SentItem, n)
	}
	for i := range e.Items {
		it := &e.Items[i]
		c.id(&it.ID)
		c.int(&it.Delay)
		codeInt(c, &it.ContentType)
		c.body(&it.Body, &it.off)
	}
}

// messagesAtOnce is how many messages of one send are allocated at once.
const messagesAtOnce = 8

func (e *Sent) apply(s *State) error {
	q, err := s.queue(e.Queue)
	if err != nil {
		return err
	}
	var side []message // a few lie side by side, which the last of them keeps in memory
	for i := range e.Items {
		it := &e.Items[i]
		if len(side) == 0 {
			side = make([]message, min(len(e.Items)-i, messagesAtOnce))
		}
		m := &side[0]
		side = side[1:]
		*m = message{id: it.ID, sent: s.now, ctype: it.ContentType}
		s.written(m, it.Body, it.off)
		s.add(q, m, s.now+it.Delay)
	}
	return nil
}

// Leased lends messages to a puller. Deliveries to push consumers are not logged: after a restart they never
// happened.
type Leased struct {
	Queue uint64
	Lease uint64
	Until time.Time
	Nums  []uint64
}

func (*Leased) kind() uint16 { return 7 }
func (e *Leased) code(c *coder) {
	c.uint(&e.Queue)
	c.uint(&e.Lease)
	c.time(&e.Until)
	c.numbers(&e.Nums)
}

func (e *Leased) apply(s *State) error {
	q, err := s.queue(e.Queue)
	if err != nil {
		return err
	}
	l := &lease{num: e.Lease, began: s.now, until: millis(e.Until)}
	for _, num := range e.Nums {
		m := q.numbers.get(num)
		if m == nil || m.at != atReady {
			return fmt.Errorf("message %d of queue %q cannot be leased", num, q.name)
		}
		l.msgs = append(l.msgs, m)
	}
	q.grant(l)
	s.nextLease = max(s.nextLease, e.Lease+1)
	return nil
}

// Acked removes messages that were processed.
type Acked struct {
	Queue uint64
	Nums  []uint64
}

func (*Acked) kind() uint16    { return 8 }
func (e *Acked) code(c *coder) { c.uint(&e.Queue); c.numbers(&e.Nums) }
func (e *Acked) apply(s *State) error {
	return s.each(e.Queue, e.Nums, s.drop)
}

// each applies f to messages that must exist.
func (s *State) each(serial uint64, nums []uint64, f func(*queue, *message)) error {
	q, err := s.queue(serial)
	if err != nil {
		return err
	}
	for _, num := range nums {
		m := q.numbers.get(num)
		if m == nil {
			return fmt.Errorf("message %d of queue %q does not exist", num, q.name)
		}
		f(q, m)
	}
	return nil
}

// Retried counts a failed delivery and puts messages back: at the end of the ready order, at once or after a delay
// (D-4, D-5).
type Retried struct {
	Queue uint64
	// Visible is when they may be delivered again.
	Visible time.Time
	// Began is when the failed delivery began.
	Began time.Time
	Nums  []uint64
}

func (*Retried) kind() uint16 { return 9 }
func (e *Retried) code(c *coder) {
	c.uint(&e.Queue)
	c.time(&e.Visible)
	c.time(&e.Began)
	c.numbers(&e.Nums)
}

func (e *Retried) apply(s *State) error {
	return s.each(e.Queue, e.Nums, func(q *queue, m *message) {
		q.unplace(m)
		if h := m.history(); h.first == 0 {
			h.first = millis(e.Began)
		}
		m.fails++
		q.place(m, millis(e.Visible), s.now)
	})
}

// DeadLettered moves messages to a dead letter queue: same id, timestamp and body, attempts start again (D-9).
type DeadLettered struct {
	Queue, To            uint64
	Began                time.Time
	Reason, Error, Stack string
	Nums                 []uint64
}

func (*DeadLettered) kind() uint16 { return 10 }
func (e *DeadLettered) code(c *coder) {
	c.uint(&e.Queue)
	c.uint(&e.To)
	c.time(&e.Began)
	c.string(&e.Reason)
	c.string(&e.Error)
	c.string(&e.Stack)
	c.numbers(&e.Nums)
}

func (e *DeadLettered) apply(s *State) error {
	to, err := s.queue(e.To)
	if err != nil {
		return err
	}
	return s.each(e.Queue, e.Nums, func(q *queue, m *message) {
		dead := &DeadLetter{
			Source: q.name, Reason: e.Reason, Error: e.Error, Stack: e.Stack, Attempts: int(m.fails) + 1,
			FirstAttempt: e.Began, LastAttempt: e.Began,
		}
		if m.hist != nil && m.hist.first != 0 {
			dead.FirstAttempt = fromMillis(m.hist.first)
		}
		s.detach(q, m)
		m.fails = 0
		m.hist = &history{arrived: s.now, dead: dead, trace: m.trace()}
		s.add(to, m, 0)
	})
}

// Dropped removes messages for the reason given: their retries were used up and there is no dead letter queue, their
// retention ended, or an operator removed them.
type Dropped struct {
	Queue  uint64
	Reason string
	Nums   []uint64
}

// Reasons of [Dropped].
const (
	DropExhausted = "retries exhausted"
	DropExpired   = "retention ended"
	DropRemoved   = "removed"
	DropSkipped   = "skipped"
	DropDamaged   = "damaged" // the body cannot be read; a repair removes it
)

func (*Dropped) kind() uint16 { return 11 }
func (e *Dropped) code(c *coder) {
	c.uint(&e.Queue)
	c.string(&e.Reason)
	c.numbers(&e.Nums)
}
func (e *Dropped) apply(s *State) error { return s.each(e.Queue, e.Nums, s.drop) }

// Purged empties a queue (D-18).
type Purged struct {
	Queue uint64
	At    time.Time
}

func (*Purged) kind() uint16    { return 12 }
func (e *Purged) code(c *coder) { c.uint(&e.Queue); c.time(&e.At) }
func (e *Purged) apply(s *State) error {
	q, err := s.queue(e.Queue)
	if err != nil {
		return err
	}
	s.clear(q)
	return nil
}

// Redriven moves dead letters to a queue, with the id they had or a new one. With a new id the message is a new one
// in every respect, its timestamp too.
type Redriven struct {
	Queue, To uint64
	Nums      []uint64
	// NewIDs is empty or has one id per message.
	NewIDs []ID
}

func (*Redriven) kind() uint16 { return 13 }
func (e *Redriven) code(c *coder) {
	c.uint(&e.Queue)
	c.uint(&e.To)
	c.numbers(&e.Nums)
	n := c.count(len(e.NewIDs))
	if c.reading {
		e.NewIDs = make([]ID, n)
	}
	for i := range e.NewIDs {
		c.id(&e.NewIDs[i])
	}
}

func (e *Redriven) apply(s *State) error {
	to, err := s.queue(e.To)
	if err != nil {
		return err
	}
	if len(e.NewIDs) != 0 && len(e.NewIDs) != len(e.Nums) {
		return fmt.Errorf("%d new ids for %d messages", len(e.NewIDs), len(e.Nums))
	}
	i := 0
	return s.each(e.Queue, e.Nums, func(q *queue, m *message) {
		s.detach(q, m)
		m.fails = 0
		m.hist = &history{arrived: s.now, trace: m.trace()}
		if len(e.NewIDs) != 0 {
			m.id, m.sent, m.hist = e.NewIDs[i], s.now, nil
		}
		s.add(to, m, 0)
		i++
	})
}

// Traced gives a message the trace context of who sent it. Work queues do.
type Traced struct {
	Queue, Num uint64
	Trace      string
}

func (*Traced) kind() uint16 { return 25 }
func (e *Traced) code(c *coder) {
	c.uint(&e.Queue)
	c.uint(&e.Num)
	c.string(&e.Trace)
}

func (e *Traced) apply(s *State) error {
	return s.each(e.Queue, []uint64{e.Num}, func(_ *queue, m *message) { m.history().trace = e.Trace })
}

// TracedSend gives the messages of one send, which have numbers that follow each other, the trace context of the Worker
// that sent them.
type TracedSend struct {
	Queue, First, Count uint64
	Trace               string
}

func (*TracedSend) kind() uint16 { return 26 }
func (e *TracedSend) code(c *coder) {
	c.uint(&e.Queue)
	c.uint(&e.First)
	c.uint(&e.Count)
	c.string(&e.Trace)
}

func (e *TracedSend) apply(s *State) error {
	if e.Count > maxTracedSend {
		return fmt.Errorf("%d messages of one send", e.Count)
	}
	q, err := s.queue(e.Queue)
	if err != nil {
		return err
	}
	all := &history{trace: e.Trace, shared: true}
	for num := e.First; num-e.First < e.Count; num++ {
		m := q.numbers.get(num)
		if m == nil {
			return fmt.Errorf("message %d of queue %q does not exist", num, q.name)
		}
		m.setTrace(all)
	}
	return nil
}

// maxTracedSend is more than any send has: a log with a larger count contradicts itself.
const maxTracedSend = 1 << 20

func (m *message) trace() string {
	if m.hist == nil {
		return ""
	}
	return m.hist.trace
}

// Edited replaces the body of a message.
type Edited struct {
	Queue, Num  uint64
	ContentType ContentType
	Body        []byte
	off         uint32
}

func (*Edited) kind() uint16 { return 14 }
func (e *Edited) code(c *coder) {
	c.uint(&e.Queue)
	c.uint(&e.Num)
	codeInt(c, &e.ContentType)
	c.body(&e.Body, &e.off)
}

func (e *Edited) apply(s *State) error {
	return s.each(e.Queue, []uint64{e.Num}, func(q *queue, m *message) {
		s.replaceBody(q, m, e.Body, e.off)
		m.ctype = e.ContentType
	})
}

func (s *State) replaceBody(q *queue, m *message, body []byte, off uint32) {
	q.bytes += int64(len(body)) - int64(m.size)
	s.release(m)
	s.written(m, body, off)
}

// Moved copies a body forward in the log, so that the segment it was in can be dropped.
type Moved struct {
	Queue, Num uint64
	Body       []byte
	off        uint32
}

func (*Moved) kind() uint16 { return 15 }
func (e *Moved) code(c *coder) {
	c.uint(&e.Queue)
	c.uint(&e.Num)
	c.body(&e.Body, &e.off)
}

func (e *Moved) apply(s *State) error {
	return s.each(e.Queue, []uint64{e.Num}, func(q *queue, m *message) { s.replaceBody(q, m, e.Body, e.off) })
}

// Escalated marks dead letters as handed on (Z0-12).
type Escalated struct {
	Queue uint64
	Note  string
	Nums  []uint64
}

func (*Escalated) kind() uint16 { return 17 }
func (e *Escalated) code(c *coder) {
	c.uint(&e.Queue)
	c.string(&e.Note)
	c.numbers(&e.Nums)
}

func (e *Escalated) apply(s *State) error {
	return s.each(e.Queue, e.Nums, func(_ *queue, m *message) {
		if m.hist != nil && m.hist.dead != nil {
			m.hist.dead.Escalated = e.Note
		}
	})
}
