package queues

import "fmt"

// snapshotting keeps the log short. Space is bounded by what is live: a snapshot is written when the log has grown
// by SnapshotBytes or by four snapshots, whichever is more; a segment below the snapshot is removed as soon as no
// message has its body in it; and one with less than half of it live has its bodies copied forward, a megabyte per
// turn. So the log takes at most twice the live bodies plus what was written since the last snapshot.
type snapshotting struct {
	least int64 // bytes between snapshots
	since int64 // bytes written since the last one
	last  int64 // bytes of the last one
	// moving are the messages of the segment that is being emptied.
	moving  []movable
	segment uint32
	again   bool // a turn for the rest is on its way
	written int64
	// stuck are segments with bodies that cannot be read. They stay as they are while the session lasts.
	stuck map[uint32]bool
}

type movable struct {
	q *queue // nil for a lane's message
	l *lane
	m *message
}

const (
	compactBelow       = 0.5     // the share of live bytes below which a segment is emptied
	compactPerTurn     = 1 << 20 // bytes
	snapshotGrowFactor = 4
)

// snapshotAtClose is how much must have been written since the last snapshot to make one worth it at the end.
const snapshotAtClose = 4 << 20

// lookEvery is how much is written between two looks at the segments.
const lookEvery = 1 << 20

// maintain runs at the end of a turn, when everything is durable.
func (b *Broker) maintain() error {
	if b.snap.since > max(b.snap.least, snapshotGrowFactor*b.snap.last) {
		if err := b.snapshot(); err != nil {
			return err
		}
		b.snap.written = lookEvery
	}
	if b.snap.written >= lookEvery {
		b.snap.written = 0
		if err := b.dropEmpty(); err != nil {
			return err
		}
		b.chooseSegment()
	}
	if len(b.snap.moving) > 0 && !b.snap.again {
		b.snap.again = true
		return b.post(b.move)
	}
	return nil
}

// snapshot stores the state, so that a restart replays only what follows.
func (b *Broker) snapshot() error {
	b.snap.since, b.snap.last = 0, 0
	err := b.log.Snapshot(func(add func([]byte) error) error {
		return b.state.save(func(piece []byte) error {
			b.snap.last += int64(len(piece))
			return add(piece)
		})
	})
	if err != nil {
		return fmt.Errorf("queues: %w", err)
	}
	return nil
}

// dropEmpty removes sealed segments without live bodies.
func (b *Broker) dropEmpty() error {
	for _, seg := range b.log.Segments() {
		if !seg.Sealed {
			return nil
		}
		if b.state.live[seg.ID] == 0 {
			if err := b.log.Drop(seg.ID); err != nil {
				return fmt.Errorf("queues: %w", err)
			}
			delete(b.state.live, seg.ID)
		}
	}
	return nil
}

// chooseSegment begins to empty the oldest sealed segment that is mostly dead.
func (b *Broker) chooseSegment() {
	if len(b.snap.moving) > 0 {
		return
	}
	for _, seg := range b.log.Segments() {
		if !seg.Sealed {
			return
		}
		if seg.ID == b.snap.segment || b.snap.stuck[seg.ID] ||
			float64(b.state.live[seg.ID]) >= compactBelow*float64(seg.Bytes) {
			continue
		}
		b.snap.segment = seg.ID
		for _, q := range b.state.sorted() {
			for m := q.arrival.head; m != nil; m = m.link[byArrival].next {
				if m.ref.Segment == seg.ID && m.size > 0 {
					b.snap.moving = append(b.snap.moving, movable{q: q, m: m})
				}
			}
		}
		for _, l := range b.state.sortedLanes() {
			for m := l.msgs.head; m != nil; m = m.link[byArrival].next {
				if m.ref.Segment == seg.ID && m.size > 0 {
					b.snap.moving = append(b.snap.moving, movable{l: l, m: m})
				}
			}
		}
		return
	}
}

// move copies some bodies forward.
func (b *Broker) move(t *turn) {
	b.snap.again = false
	var bytes int64
	for len(b.snap.moving) > 0 && bytes < compactPerTurn {
		c := b.snap.moving[len(b.snap.moving)-1]
		b.snap.moving = b.snap.moving[:len(b.snap.moving)-1]
		if c.m.ref.Segment != b.snap.segment {
			continue // gone, or edited
		}
		body, err := b.readMessages([]*message{c.m})
		if err != nil {
			b.stick(err)
			continue // the body stays where it is, and its segment with it
		}
		bytes += int64(c.m.size)
		if c.l != nil {
			t.emit(&LaneMoved{Queue: c.l.queue.name, Key: c.l.key, Num: c.m.num, Body: body[0].Body})
			continue
		}
		if c.q.numbers.get(c.m.num) != c.m {
			continue // moved to another queue; the next look at the segment finds it there
		}
		t.emit(&Moved{Queue: c.q.serial, Num: c.m.num, Body: body[0].Body})
	}
	if len(b.snap.moving) == 0 {
		b.snap.segment = 0
		b.snap.written = lookEvery // so that the segment is dropped soon, and the next one looked for
	}
}

// stick leaves the segment that is being emptied alone from now on.
func (b *Broker) stick(err error) {
	if b.snap.stuck[b.snap.segment] {
		return // one line for a segment
	}
	if b.snap.stuck == nil {
		b.snap.stuck = map[uint32]bool{}
	}
	b.snap.stuck[b.snap.segment] = true
	b.warn(fmt.Sprintf("The queues' log keeps %s, which cannot be emptied: %v", b.log.FileName(b.snap.segment), err))
}
