package queues

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"

	"eddy/queues/logstore"
)

// load applies one piece.
func (s *State) load(piece []byte) error {
	if len(piece) == 0 {
		return fmt.Errorf("%w: empty piece of a snapshot", errFormat)
	}
	c := &coder{b: piece, pos: 1, end: len(piece), reading: true}
	inQueue := []byte{pieceLeases, pieceMessages, pieceTraces, pieceQueueEnd}
	if k := piece[0]; s.loading == nil && slices.Contains(inQueue, k) {
		return fmt.Errorf("%w: a piece of kind %d in a snapshot stands outside any queue", errFormat, k)
	}
	switch piece[0] {
	case pieceHeader:
		s.codeHeader(c)
	case pieceQueue:
		q := &queue{}
		codeQueue(c, q)
		q.ready.which, q.arrival.which = byReady, byArrival
		s.queues[q.serial], s.byName[q.name], s.byID[q.id] = q, q, q
		s.loading = q
		s.touch(q)
	case pieceLeases:
		var leases []*lease
		codeLeases(c, &leases)
		s.loadLeases(leases)
	case pieceMessages:
		var msgs []*message
		codeMessages(c, s.loading, &msgs)
		for _, m := range msgs {
			if err := s.loadMessage(m); err != nil {
				return err
			}
		}
	case pieceTraces:
		codeTraces(c, s.loading, nil)
	case pieceQueueEnd:
		s.loadOrder()
	case pieceNotes:
		var notes []Note
		codeNotes(c, &notes)
		s.notes = append(s.notes, notes...)
	case pieceLanes:
		s.codeLanes(c, nil)
	default:
		return fmt.Errorf("%w: piece of kind %d in a snapshot, which this release does not know", errFormat, piece[0])
	}
	if c.err == nil && c.pos != c.end {
		c.fail("bytes left over in a snapshot's piece")
	}
	return c.err
}

func (s *State) loadLane(queue, key string, next uint64, msgs []*message) {
	q := s.laneQueue(queue)
	q.nextNum = next
	l := q.lane(key)
	for _, m := range msgs {
		l.msgs.pushBack(m)
		q.count++
		q.bytes += int64(m.size)
		if m.size > 0 {
			s.live[m.ref.Segment] += int64(m.size)
		}
	}
	l.recount()
	s.touchLane(l)
}

func (s *State) loadLeases(leases []*lease) {
	q := s.loading
	for _, l := range leases {
		if q.leases == nil {
			q.leases = map[uint64]*lease{}
		}
		q.leases[l.num] = l
		heap.Push(&q.expiry, l)
	}
}

func (s *State) loadMessage(m *message) error {
	q := s.loading
	q.numbers.put(m)
	q.arrival.pushBack(m)
	q.waiting.arrive(m)
	q.count(m, 1)
	if m.size > 0 {
		s.live[m.ref.Segment] += int64(m.size)
	}
	switch m.at {
	case atReady:
		s.loadingReady = append(s.loadingReady, m)
	case atDelayed:
		heap.Push(&q.delayed, m)
	case atLease:
		l := q.leases[uint64(m.key)]
		if l == nil {
			return fmt.Errorf("message %d of queue %q is under an unknown lease", m.num, q.name)
		}
		l.msgs, l.keys = append(l.msgs, m), append(l.keys, int64(slices.Index(l.order, m.num)))
	default:
		return fmt.Errorf("message %d of queue %q is nowhere", m.num, q.name)
	}
	return nil
}

func (s *State) loadOrder() {
	slices.SortFunc(s.loadingReady, func(a, b *message) int { return int(a.key - b.key) })
	for _, m := range s.loadingReady {
		s.loading.ready.pushBack(m)
	}
	for _, l := range s.loading.leases {
		slices.SortFunc(l.msgs, func(a, b *message) int {
			return slices.Index(l.order, a.num) - slices.Index(l.order, b.num)
		})
		slices.Sort(l.keys)
		l.order = nil
	}
	s.loading, s.loadingReady = nil, nil
}

// check refuses a state that points to segments that are not there.
func (s *State) check(log *logstore.Log) error {
	have := map[uint32]bool{}
	for _, seg := range log.Segments() {
		have[seg.ID] = true
	}
	var missing []string
	for id, n := range s.live {
		if n == 0 {
			delete(s.live, id)
		} else if !have[id] {
			missing = append(missing, fmt.Sprintf("%s (%d bytes of waiting messages)", log.FileName(id), n))
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return fmt.Errorf(
			"open the queues' log: missing %s; eddy state check says what is lost, eddy state repair goes on "+
				"without it and keeps the files aside, or restore from a copy",
			strings.Join(missing, ", "),
		)
	}
	return nil
}
