package queues

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"eddy/queues/logstore"
	"eddy/runtime/clock"
)

// Check is what is wrong with a log on disk, and what a repair of it costs.
type Check struct {
	// Findings are the places that cannot be read, in the order in which they were found.
	Findings []logstore.Finding `json:"findings"`
	// Queues and Messages are what reads back and stays.
	Queues   int `json:"queues"`
	Messages int `json:"messages"`
	// Damaged are waiting messages whose bodies cannot be read; a repair deletes them.
	Damaged []DamagedMessage `json:"damaged"`
	// LostGroups is how many sound groups lie behind the damage. A repair drops them, because they build on what cannot
	// be read. LostMessages were sent in them. What cannot be read at all cannot be counted.
	LostGroups   int `json:"lost_groups"`
	LostMessages int `json:"lost_messages"`

	examination *logstore.Examination
}

// DamagedMessage is a waiting message whose body cannot be read.
type DamagedMessage struct {
	Queue string `json:"queue"`
	// Lane is the key of its lane, for do-queue.
	Lane   string `json:"lane,omitempty"`
	ID     string `json:"id"`
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	Reason string `json:"reason"`
}

// Sound tells whether the log opens and everything in it can be read.
func (c *Check) Sound() bool { return c.examination.Sound() && len(c.Damaged) == 0 }

// CheckLog reads the log in a folder of the disk, every byte of it, and changes nothing. A log that a session has open
// gives a *[statedir.LockedError].
func CheckLog(dir string) (*Check, error) {
	s := newState()
	c := &Check{Findings: []logstore.Finding{}, Damaged: []DamagedMessage{}}
	e, err := logstore.Examine(logstore.Options{Dir: dir, LoadSnapshot: s.load, Replay: s.replay}, c.lost)
	if err != nil {
		return nil, fmt.Errorf("check the queues' log: %w", err)
	}
	c.examination = e
	c.Findings = append(c.Findings, e.Findings...)
	c.LostGroups, c.Queues = e.Lost, len(s.queues)
	files := map[uint32][]byte{}
	for _, at := range s.waitingMessages() {
		c.Messages++
		m := at.m
		data, ok := files[m.ref.Segment]
		name := filepath.Join(dir, fmt.Sprintf("%08d.log", m.ref.Segment))
		if !ok {
			clear(files) // one at a time: messages are in the order of their places
			data, _ = logstore.ReadFile(name)
			files[m.ref.Segment] = data
		}
		end := int64(m.ref.Offset) + int64(m.size)
		reason := ""
		switch {
		case m.size == 0:
		case data == nil:
			reason = "the file is missing"
		case end > int64(len(data)):
			reason = "the file ends before the body"
		case logstore.Checksum(data[m.ref.Offset:end]) != m.crc:
			reason = "the body does not match its checksum"
		}
		if reason != "" {
			c.Damaged = append(c.Damaged, DamagedMessage{
				Queue: at.queueName(), Lane: at.laneKey(), ID: at.id(), File: name, Offset: int64(m.ref.Offset),
				Reason: reason,
			})
		}
	}
	c.Messages -= len(c.Damaged)
	return c, nil
}

// lost counts what was sent in a group that a repair drops.
func (c *Check) lost(group []byte) {
	// A group that does not decode is damaged itself. It counts as a group all the same.
	_ = decodeGroup(group, func(int64) {}, func(e LogEvent) error {
		switch e := e.(type) {
		case *Sent:
			c.LostMessages += len(e.Items)
		case *LaneSent:
			c.LostMessages++
		}
		return nil
	})
}

// place is a waiting message and the queue that it is in.
type place struct {
	q *queue // nil for a lane's message
	l *lane
	m *message
}

func (p place) queueName() string {
	if p.l != nil {
		return p.l.queue.name
	}
	return p.q.name
}

func (p place) laneKey() string {
	if p.l != nil {
		return p.l.key
	}
	return ""
}

func (p place) id() string {
	if p.l != nil {
		return p.m.id.UUID()
	}
	return p.m.id.String()
}

// waitingMessages are all messages, in the order in which their bodies lie in the log.
func (s *State) waitingMessages() (all []place) {
	for _, q := range s.sorted() {
		for m := q.arrival.head; m != nil; m = m.link[byArrival].next {
			all = append(all, place{q: q, m: m})
		}
	}
	for _, l := range s.sortedLanes() {
		for m := l.msgs.head; m != nil; m = m.link[byArrival].next {
			all = append(all, place{l: l, m: m})
		}
	}
	slices.SortStableFunc(all, func(a, b place) int {
		if a.m.ref.Segment != b.m.ref.Segment {
			return int(int64(a.m.ref.Segment) - int64(b.m.ref.Segment))
		}
		return int(int64(a.m.ref.Offset) - int64(b.m.ref.Offset))
	})
	return all
}

// Repair changes the log that was checked so that it opens again. It first copies the files to the folder kept, then
// keeps what can be read and deletes what the check names. It leaves a sound log alone; kept is "" then.
func (c *Check) Repair(dir string) (kept string, err error) {
	if c.Sound() {
		return "", nil
	}
	if kept, err = c.examination.Repair(); err != nil {
		return kept, fmt.Errorf("repair the queues' log: %w", err)
	}
	b, _, err := open(Options{Dir: dir, Clock: clock.Real{}}, true)
	if err != nil {
		return kept, fmt.Errorf("repair the queues' log: %w", err)
	}
	return kept, b.Close()
}

// salvage deletes the waiting messages whose bodies cannot be read.
func (b *Broker) salvage(t *turn) {
	for _, at := range t.state.waitingMessages() {
		_, err := b.readMessages([]*message{at.m})
		var damage *logstore.CorruptError
		if !errors.As(err, &damage) {
			continue
		}
		if at.l != nil {
			t.emit(&LaneRemoved{Queue: at.l.queue.name, Key: at.l.key, Reason: DropDamaged, Nums: []uint64{at.m.num}})
		} else {
			t.emit(&Dropped{Queue: at.q.serial, Reason: DropDamaged, Nums: []uint64{at.m.num}})
		}
	}
}
