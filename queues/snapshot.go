package queues

import (
	"fmt"
	"slices"
)

// A snapshot is a list of pieces, each a kind byte and fields as in events: one header; per queue one head, its
// pull leases, its messages by arrival in pieces of at most messagesPerPiece, their trace contexts if they have any, an
// end; the operator's log; the lanes.
// Deliveries in flight are left out: their messages are written where they were before.
const (
	pieceHeader   = 1
	pieceQueue    = 2
	pieceLeases   = 3
	pieceMessages = 4
	pieceQueueEnd = 5
	pieceNotes    = 6
	pieceLanes    = 7
	pieceTraces   = 8

	snapshotVersion  = 1
	messagesPerPiece = 2000
	notesPerPiece    = 500
)

// save calls add with each piece of the state.
func (s *State) save(add func(piece []byte) error) error {
	c := &coder{}
	put := func(kind byte, walk func(*coder)) error {
		c.b = append(c.b[:0], kind)
		walk(c)
		return add(c.b)
	}
	if err := put(pieceHeader, s.codeHeader); err != nil {
		return err
	}
	for _, q := range s.sorted() {
		q.promote(s.now)
		if err := put(pieceQueue, func(c *coder) { codeQueue(c, q) }); err != nil {
			return err
		}
		leases := q.pullLeases()
		if err := put(pieceLeases, func(c *coder) { codeLeases(c, &leases) }); err != nil {
			return err
		}
		var chunk []*message
		for m := q.arrival.head; m != nil; m = m.link[byArrival].next {
			chunk = append(chunk, m)
			if len(chunk) == messagesPerPiece || m.link[byArrival].next == nil {
				if err := put(pieceMessages, func(c *coder) { codeMessages(c, q, &chunk) }); err != nil {
					return err
				}
				traced := slices.DeleteFunc(slices.Clone(chunk), func(m *message) bool { return m.trace() == "" })
				if len(traced) > 0 {
					if err := put(pieceTraces, func(c *coder) { codeTraces(c, q, traced) }); err != nil {
						return err
					}
				}
				chunk = chunk[:0]
			}
		}
		if err := put(pieceQueueEnd, func(*coder) {}); err != nil {
			return err
		}
	}
	for notes := range slices.Chunk(s.notes, notesPerPiece) {
		if err := put(pieceNotes, func(c *coder) { codeNotes(c, &notes) }); err != nil {
			return err
		}
	}
	return s.saveLanes(put)
}

// saveLanes writes lanes in pieces of about messagesPerPiece messages.
func (s *State) saveLanes(put func(byte, func(*coder)) error) error {
	lanes := s.sortedLanes()
	for len(lanes) > 0 {
		n, msgs := 0, 0
		for n < len(lanes) && msgs < messagesPerPiece {
			msgs += lanes[n].msgs.n
			n++
		}
		if err := put(pieceLanes, func(c *coder) { s.codeLanes(c, lanes[:n]) }); err != nil {
			return err
		}
		lanes = lanes[n:]
	}
	return nil
}

func (s *State) codeLanes(c *coder, lanes []*lane) {
	n := c.count(len(lanes))
	for i := range n {
		var queue, key string
		var next uint64
		var msgs []*message
		if !c.reading {
			l := lanes[i]
			queue, key, next = l.queue.name, l.key, l.queue.nextNum
			for m := l.msgs.head; m != nil; m = m.link[byArrival].next {
				msgs = append(msgs, m)
			}
		}
		c.string(&queue)
		c.uint(&next)
		c.string(&key)
		codeMessages(c, nil, &msgs)
		if c.reading && c.err == nil {
			s.loadLane(queue, key, next, msgs)
		}
	}
}

func (s *State) codeHeader(c *coder) {
	version := uint64(snapshotVersion)
	c.uint(&version)
	if version != snapshotVersion {
		c.fail(fmt.Sprintf("snapshot version %d; this release reads %d", version, snapshotVersion))
	}
	c.int(&s.now)
	c.uint(&s.nextSerial)
	c.uint(&s.nextLease)
}

func codeQueue(c *coder, q *queue) {
	c.uint(&q.serial)
	c.id(&q.id)
	c.string(&q.name)
	c.time(&q.created)
	c.time(&q.modified)
	codeSettings(c, &q.settings)
	c.uint(&q.nextNum)
	c.int(&q.position)
	has := q.consumer != nil
	c.bool(&has)
	if has {
		if c.reading {
			q.consumer = &consumer{}
		}
		// The consumer is coded as the event that sets it.
		e := ConsumerSet{
			ID:       q.consumer.id,
			At:       q.consumer.created,
			Declared: q.consumer.declared,
			Config:   q.consumer.config,
		}
		e.code(c)
		*q.consumer = consumer{id: e.ID, created: e.At, declared: e.Declared, config: e.Config}
	}
}

func (q *queue) pullLeases() []*lease {
	var out []*lease
	for _, l := range q.leases {
		if !l.push {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b *lease) int { return int(int64(a.num) - int64(b.num)) })
	return out
}

func codeLeases(c *coder, leases *[]*lease) {
	n := c.count(len(*leases))
	for i := range n {
		if c.reading {
			*leases = append(*leases, &lease{})
		}
		l := (*leases)[i]
		c.uint(&l.num)
		c.int(&l.began)
		c.int(&l.until)
		order := nums(l.msgs)
		c.numbers(&order)
		if c.reading {
			l.order = order
		}
	}
}

func codeNotes(c *coder, notes *[]Note) {
	n := c.count(len(*notes))
	for i := range n {
		if c.reading {
			*notes = append(*notes, Note{})
		}
		codeNote(c, &(*notes)[i])
	}
}

// codeMessages codes index entries. The texts beside dead letters are the same for many, so a piece begins with a
// table of them.
func codeMessages(c *coder, q *queue, msgs *[]*message) {
	texts := &textTable{index: map[string]uint64{}}
	if !c.reading {
		for _, m := range *msgs {
			if m.hist != nil && m.hist.dead != nil {
				d := m.hist.dead
				for _, s := range []string{d.Source, d.Reason, d.Error, d.Stack, d.Escalated} {
					texts.add(s)
				}
			}
		}
	}
	n := c.count(len(texts.list))
	for i := range n {
		if c.reading {
			texts.list = append(texts.list, "")
		}
		c.string(&texts.list[i])
	}
	n = c.count(len(*msgs))
	for i := range n {
		if c.reading {
			*msgs = append(*msgs, &message{})
		}
		codeEntry(c, q, (*msgs)[i], texts)
	}
}

// codeTraces walks the trace contexts of messages of q.
func codeTraces(c *coder, q *queue, traced []*message) {
	all := &history{shared: true} // of the messages that were sent together
	for i := range c.count(len(traced)) {
		var num uint64
		var trace string
		if !c.reading {
			num, trace = traced[i].num, traced[i].trace()
		}
		c.uint(&num)
		c.string(&trace)
		if !c.reading || c.err != nil {
			continue
		}
		m := q.numbers.get(num)
		if m == nil {
			c.fail("trace context of a message that is not there")
			return
		}
		if all.trace != trace {
			all = &history{trace: trace, shared: true}
		}
		m.setTrace(all)
	}
}

type textTable struct {
	list  []string
	index map[string]uint64
}

func (t *textTable) add(s string) {
	if _, ok := t.index[s]; !ok {
		t.index[s] = uint64(len(t.list))
		t.list = append(t.list, s)
	}
}

func (t *textTable) code(c *coder, s *string) {
	i := t.index[*s]
	c.uint(&i)
	if !c.reading {
		return
	}
	if i >= uint64(len(t.list)) {
		c.fail("text")
		return
	}
	*s = t.list[i]
}

func codeEntry(c *coder, q *queue, m *message, texts *textTable) {
	at, key := m.at, m.key
	if at == atLease && !c.reading {
		if l := q.leases[uint64(m.key)]; l.push {
			at, key = atReady, l.keys[slices.Index(l.msgs, m)]
		}
	}
	c.uint(&m.num)
	c.id(&m.id)
	c.int(&m.sent)
	codeInt(c, &at)
	c.int(&key)
	codeInt(c, &m.ref.Segment)
	codeInt(c, &m.ref.Offset)
	codeInt(c, &m.size)
	codeInt(c, &m.crc)
	codeInt(c, &m.fails)
	codeInt(c, &m.ctype)
	if c.reading {
		m.at, m.key = at, key
	}
	has := m.hist != nil && !m.hist.shared // traces have a piece of their own
	c.bool(&has)
	if !has {
		return
	}
	h := m.history()
	c.int(&h.first)
	c.int(&h.arrived)
	has = h.dead != nil
	c.bool(&has)
	if !has {
		return
	}
	if h.dead == nil {
		h.dead = &DeadLetter{}
	}
	d := h.dead
	for _, s := range []*string{&d.Source, &d.Reason, &d.Error, &d.Stack, &d.Escalated} {
		texts.code(c, s)
	}
	codeInt(c, &d.Attempts)
	c.time(&d.FirstAttempt)
	c.time(&d.LastAttempt)
}
