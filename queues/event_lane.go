package queues

import "time"

// LaneSent adds a message to the end of a lane.
type LaneSent struct {
	Queue, Key  string
	ID          ID
	ContentType ContentType
	Body        []byte
	off         uint32
}

func (*LaneSent) kind() uint16 { return 18 }
func (e *LaneSent) code(c *coder) {
	c.string(&e.Queue)
	c.string(&e.Key)
	c.id(&e.ID)
	codeInt(c, &e.ContentType)
	c.body(&e.Body, &e.off)
}

func (e *LaneSent) apply(s *State) error {
	q := s.laneQueue(e.Queue)
	l := q.lane(e.Key)
	m := &message{num: q.nextNum, id: e.ID, sent: s.now, ctype: e.ContentType, at: atReady}
	q.nextNum++
	s.written(m, e.Body, e.off)
	l.msgs.pushBack(m)
	q.count++
	q.bytes += int64(m.size)
	l.recount()
	s.touchLane(l)
	return nil
}

// LaneRemoved removes messages from a lane, for one of the reasons below.
type LaneRemoved struct {
	Queue, Key string
	Reason     string
	Nums       []uint64
}

// Reasons of [LaneRemoved].
const (
	LaneAcked       = "acknowledged"
	LaneExhausted   = "retries exhausted" // and there is no dead letter handler (DQ-22)
	LaneHandOffDone = "handed off"
	LaneByOperator  = "removed"
)

func (*LaneRemoved) kind() uint16 { return 19 }
func (e *LaneRemoved) code(c *coder) {
	c.string(&e.Queue)
	c.string(&e.Key)
	c.string(&e.Reason)
	c.numbers(&e.Nums)
}

func (e *LaneRemoved) apply(s *State) error {
	return s.eachInLane(e.Queue, e.Key, e.Nums, func(l *lane, m *message) {
		l.msgs.remove(m)
		l.queue.count--
		l.queue.bytes -= int64(m.size)
		s.release(m)
		l.forgetIfEmpty()
	})
}

// LaneRetried counts a failed delivery and says when each message may be delivered again. They stay where they are.
type LaneRetried struct {
	Queue, Key string
	Began      time.Time
	Nums       []uint64
	Due        []time.Time // one per message
}

func (*LaneRetried) kind() uint16 { return 20 }
func (e *LaneRetried) code(c *coder) {
	c.string(&e.Queue)
	c.string(&e.Key)
	c.time(&e.Began)
	c.numbers(&e.Nums)
	if c.reading {
		e.Due = make([]time.Time, len(e.Nums))
	}
	for i := range e.Due {
		c.time(&e.Due[i])
	}
}

func (e *LaneRetried) apply(s *State) error {
	i := 0
	return s.eachInLane(e.Queue, e.Key, e.Nums, func(_ *lane, m *message) {
		if h := m.history(); h.first == 0 {
			h.first = millis(e.Began)
		}
		m.fails++
		m.key = millis(e.Due[i])
		i++
	})
}

// LaneHandedOff puts a message whose retries are used up into the hand-off state.
type LaneHandedOff struct {
	Queue, Key           string
	Num                  uint64
	Began                time.Time
	Reason, Error, Stack string
}

func (*LaneHandedOff) kind() uint16 { return 21 }
func (e *LaneHandedOff) code(c *coder) {
	c.string(&e.Queue)
	c.string(&e.Key)
	c.uint(&e.Num)
	c.time(&e.Began)
	c.string(&e.Reason)
	c.string(&e.Error)
	c.string(&e.Stack)
}

func (e *LaneHandedOff) apply(s *State) error {
	return s.eachInLane(e.Queue, e.Key, []uint64{e.Num}, func(l *lane, m *message) {
		h := m.history()
		if h.first == 0 {
			h.first = millis(e.Began)
		}
		m.fails++
		m.at, m.key = atHandOff, s.now
		h.dead = &DeadLetter{
			Source: l.queue.name, Reason: e.Reason, Error: e.Error, Stack: e.Stack, Attempts: int(m.fails),
			FirstAttempt: fromMillis(h.first), LastAttempt: e.Began,
		}
	})
}

// LaneHandOffFailed counts a failed call of the dead letter handler and says when it is called again.
type LaneHandOffFailed struct {
	Queue, Key string
	Num        uint64
	Due        time.Time
	Error      string
}

func (*LaneHandOffFailed) kind() uint16 { return 22 }
func (e *LaneHandOffFailed) code(c *coder) {
	c.string(&e.Queue)
	c.string(&e.Key)
	c.uint(&e.Num)
	c.time(&e.Due)
	c.string(&e.Error)
}

func (e *LaneHandOffFailed) apply(s *State) error {
	return s.eachInLane(e.Queue, e.Key, []uint64{e.Num}, func(_ *lane, m *message) {
		m.fails++
		m.key = millis(e.Due)
	})
}

// LaneMoved copies a body forward in the log, see [Moved].
type LaneMoved struct {
	Queue, Key string
	Num        uint64
	Body       []byte
	off        uint32
}

func (*LaneMoved) kind() uint16 { return 23 }
func (e *LaneMoved) code(c *coder) {
	c.string(&e.Queue)
	c.string(&e.Key)
	c.uint(&e.Num)
	c.body(&e.Body, &e.off)
}

func (e *LaneMoved) apply(s *State) error {
	return s.eachInLane(e.Queue, e.Key, []uint64{e.Num}, func(_ *lane, m *message) {
		s.release(m)
		s.written(m, e.Body, e.off)
	})
}
