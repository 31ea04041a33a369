package queues

import (
	"fmt"
	"time"

	"eddy/queues/logstore"
)

// State is everything the broker knows, made by applying events. It reads no clock and knows no log: the same
// events give the same state.
type State struct {
	now        int64 // ms: time of the group that is being applied
	queues     map[uint64]*queue
	byName     map[string]*queue
	byID       map[ID]*queue
	nextSerial uint64
	nextLease  uint64
	lanes      map[string]*laneQueue
	notes      []Note

	// live counts, per segment, the bytes of bodies that are still needed from it. A segment without any can go.
	live map[uint32]int64
	// fresh messages have a ref that counts from the start of the group being applied; settle gives them their
	// segment once the group's place is known.
	fresh []*message
	// touched and touchedLanes are the queues and lanes that have changed since the broker looked. Only the broker
	// empties them.
	touched      []*queue
	touchedLanes []*lane

	// While a snapshot is loaded: the queue whose pieces are coming, and its ready messages, not in order.
	loading      *queue
	loadingReady []*message
}

// queue is one queue. Its messages are in `numbers` and `arrival`, all of them; and each is either in `ready`, in
// `delayed` or in one of `leases`.
type queue struct {
	serial            uint64
	id                ID
	name              string
	created, modified time.Time
	settings          QueueSettings
	consumer          *consumer
	deleted           bool

	nextNum  uint64
	position int64
	numbers  numbers
	arrival  list
	waiting  waiting
	ready    list
	delayed  delayHeap
	leases   map[uint64]*lease
	expiry   leaseHeap
	held     []*lease // those of messages that cannot be read, and some that have ended
	bytes    int64
	dead     int // messages with a DeadLetter

	// For the broker's bookkeeping; not part of the state.
	isTouched bool
	deadline
	dispatcher *dispatcher
}

type consumer struct {
	id       ID
	created  time.Time
	declared bool
	config   ConsumerConfig
}

func newState() *State {
	return &State{
		queues: map[uint64]*queue{}, byName: map[string]*queue{}, byID: map[ID]*queue{}, nextSerial: 1, nextLease: 1,
		lanes: map[string]*laneQueue{}, live: map[uint32]int64{},
	}
}

// queue finds a queue for an event, with its delays brought up to date.
func (s *State) queue(serial uint64) (*queue, error) {
	q := s.queues[serial]
	if q == nil {
		return nil, fmt.Errorf("there is no queue %d", serial)
	}
	q.promote(s.now)
	s.touch(q)
	return q, nil
}

func (s *State) touch(q *queue) {
	if !q.isTouched {
		q.isTouched = true
		s.touched = append(s.touched, q)
	}
}

// add brings a new message into q. Its body, if it was just written, is at off in the current group.
func (s *State) add(q *queue, m *message, visible int64) {
	m.num = q.nextNum
	q.nextNum++
	q.numbers.put(m)
	q.arrival.pushBack(m)
	q.waiting.arrive(m)
	q.count(m, 1)
	q.place(m, visible, s.now)
}

// detach takes a message out of q without letting go of its body.
func (s *State) detach(q *queue, m *message) {
	q.unplace(m)
	q.waiting.leave(m)
	q.arrival.remove(m)
	q.numbers.remove(m.num)
	q.count(m, -1)
}

// count adds m to the queue's sums, or takes it off.
func (q *queue) count(m *message, sign int) {
	q.bytes += int64(sign) * int64(m.size)
	if m.hist != nil && m.hist.dead != nil {
		q.dead += sign
	}
}

// drop removes a message for good.
func (s *State) drop(q *queue, m *message) {
	s.detach(q, m)
	s.release(m)
}

func (s *State) release(m *message) {
	if m.size > 0 && m.ref.Segment != 0 {
		s.live[m.ref.Segment] -= int64(m.size)
	}
	m.ref.Segment = noSegment
}

// noSegment is where the bodies of messages are that have gone.
const noSegment = ^uint32(0)

// written says that m's body lies at off in the group being applied.
func (s *State) written(m *message, body []byte, off uint32) {
	m.size, m.crc = uint32(len(body)), logstore.Checksum(body)
	m.ref = logstore.Ref{Offset: off}
	if m.size > 0 {
		s.fresh = append(s.fresh, m)
	}
}

// placeGroup tells the messages of the group just applied where their bodies are.
func (s *State) placeGroup(at logstore.Ref) {
	for i, m := range s.fresh {
		s.fresh[i] = nil
		if m.ref.Segment != 0 {
			continue // written twice in the group, or gone again
		}
		m.ref.Segment = at.Segment
		m.ref.Offset += at.Offset
		s.live[at.Segment] += int64(m.size)
	}
	s.fresh = s.fresh[:0]
	if cap(s.fresh) > 1<<16 {
		s.fresh = nil
	}
}

// clear removes all messages of q, the leased ones too: whoever holds them may finish, but nothing comes back (D-18).
func (s *State) clear(q *queue) {
	for _, l := range q.leases {
		l.msgs, l.keys = nil, nil
	}
	for m := q.arrival.head; m != nil; {
		next := m.link[byArrival].next
		m.at, m.back = atNone, 0
		m.link = [2]link{}
		s.release(m)
		m = next
	}
	q.numbers = numbers{}
	q.arrival = list{which: byArrival}
	q.waiting = waiting{}
	q.ready = list{which: byReady}
	q.delayed, q.leases, q.expiry = nil, nil, nil
	q.bytes, q.dead = 0, 0
}

// metrics are those of the backlog (P-5).
func (q *queue) metrics() Metrics {
	m := Metrics{BacklogCount: int64(q.arrival.n), BacklogBytes: q.bytes}
	if q.arrival.head != nil {
		m.OldestMessageTimestamp = fromMillis(q.arrival.head.sent)
	}
	return m
}

// config returns the consumer's settings, or production's defaults if the queue has no consumer.
func (q *queue) config() ConsumerConfig {
	if q.consumer == nil {
		return DefaultConsumer(q.name, WorkerConsumer)
	}
	c := q.consumer.config
	c.Queue = q.name
	return c
}
