package queues

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A do-queue queue is a set of lanes, one per key. Within a lane order is strict: the oldest message is delivered,
// with those right behind it, until it is settled; while it waits for a retry nothing behind it moves (DQ-17). Lanes
// do not know of each other (DQ-5).
//
// A message whose retries are used up goes into the hand-off state, if the queue has a dead letter handler: only that
// handler is called for it, again and again, until it succeeds or an operator removes the message (DQ-20, DQ-21).
// The state, with the error, survives a restart.

// LaneConfig are the options of a do-queue queue. Use [DefaultLanes] and change what differs.
type LaneConfig struct {
	// MaxRetries: a message is delivered at most MaxRetries+1 times (DQ-19).
	MaxRetries int
	// MaxBatchSize is how many messages of a lane are delivered together at most.
	MaxBatchSize int
	// RetryBaseDelay doubles with every retry up to RetryMaxDelay (DQ-16).
	RetryBaseDelay, RetryMaxDelay time.Duration
	// RetryJitter is the share by which a back-off may be longer or shorter, 0 to 1.
	RetryJitter float64
	// DeadLetter says that there is a dead letter handler. Without one, messages are deleted when their retries are
	// used up (DQ-22).
	DeadLetter bool
}

// DefaultLanes are do-queue's defaults (DQ-8).
func DefaultLanes() LaneConfig {
	return LaneConfig{
		MaxRetries:     3,
		MaxBatchSize:   10,
		RetryBaseDelay: time.Second,
		RetryMaxDelay:  30 * time.Second,
		RetryJitter:    0.1,
	}
}

func (c LaneConfig) validate(queue string) error {
	if c.MaxRetries < 0 || c.MaxBatchSize < 1 || c.RetryBaseDelay < 0 || c.RetryMaxDelay < 0 ||
		!(c.RetryJitter >= 0 && c.RetryJitter <= 1) {
		return fmt.Errorf(
			"lanes of %q: want maxRetries ≥ 0, maxBatchSize ≥ 1, delays ≥ 0 and a jitter of 0 to 1, got %+v",
			queue,
			c,
		)
	}
	return nil
}

// backoff is the delay before the k-th retry: min(base·2^(k-1), max), longer or shorter by the jitter (DQ-16).
func (c LaneConfig) backoff(k int, random float64) int64 {
	d := math.Min(
		float64(c.RetryBaseDelay.Milliseconds())*math.Pow(2, float64(k-1)),
		float64(c.RetryMaxDelay.Milliseconds()),
	)
	return int64(math.Round(d * (1 + c.RetryJitter*(2*random-1))))
}

// fallbackDelay is how long a lane waits after a delivery that never took place (DQ-23).
const fallbackDelay = 10 * time.Second

// A message of a lane is atHandOff when only the dead letter handler may see it. Every other message of a lane is
// atReady, and its key is the time from which it may be delivered.
const atHandOff = 5

type laneQueue struct {
	name    string
	lanes   map[string]*lane
	order   []*lane // the same lanes in no particular order; a slice can be walked in parts
	nextNum uint64
	count   int
	bytes   int64
	// holding counts the lanes that have messages, blocked those of them whose first message has failed before.
	// lane.recount keeps both.
	holding, blocked int

	// For the broker's bookkeeping; not part of the state.
	config   LaneConfig
	consumer LaneConsumer
	attached uint64
}

type lane struct {
	queue *laneQueue
	key   string
	msgs  list // byArrival
	place int  // in the order of its queue
	// holds and blocks say how the lane is counted in its queue.
	holds, blocks bool

	// For the broker's bookkeeping; not part of the state.
	isTouched bool
	flight    *flight
	held      *message // the first, if its body cannot be read; see held.go
	notBefore int64    // ms, after a delivery that never took place
	failure   string   // of the last delivery that failed, for operators; a restart forgets it
	deadline
}

func (s *State) laneQueue(name string) *laneQueue {
	q := s.lanes[name]
	if q == nil {
		q = &laneQueue{name: name, lanes: map[string]*lane{}, config: DefaultLanes()}
		s.lanes[name] = q
	}
	return q
}

func (q *laneQueue) lane(key string) *lane {
	l := q.lanes[key]
	if l == nil {
		l = &lane{queue: q, key: key, place: len(q.order)}
		q.lanes[key] = l
		q.order = append(q.order, l)
	}
	return l
}

func (s *State) touchLane(l *lane) {
	if !l.isTouched {
		l.isTouched = true
		s.touchedLanes = append(s.touchedLanes, l)
	}
}

// find returns the message with a number, or nil. It searches from the front, because messages are settled there.
func (l *lane) find(num uint64) *message {
	for m := l.msgs.head; m != nil && m.num <= num; m = m.link[byArrival].next {
		if m.num == num {
			return m
		}
	}
	return nil
}

// eachInLane applies f to messages that must exist.
func (s *State) eachInLane(queue, key string, nums []uint64, f func(*lane, *message)) error {
	q := s.lanes[queue]
	if q == nil || q.lanes[key] == nil {
		return fmt.Errorf("there is no lane %q of %q", key, queue)
	}
	l := q.lanes[key]
	s.touchLane(l)
	for _, num := range nums {
		m := l.find(num)
		if m == nil {
			return fmt.Errorf("message %d of lane %q of %q does not exist", num, key, queue)
		}
		f(l, m)
	}
	l.recount()
	return nil
}

// forgetIfEmpty removes a lane that holds nothing and delivers nothing, and reports whether it was such a lane.
func (l *lane) forgetIfEmpty() bool {
	if l.msgs.n > 0 || l.flight != nil {
		return false
	}
	if q := l.queue; q.lanes[l.key] == l {
		delete(q.lanes, l.key)
		last := q.order[len(q.order)-1]
		q.order[l.place], last.place = last, l.place
		clear(q.order[len(q.order)-1:])
		q.order = q.order[:len(q.order)-1]
	}
	return true
}

// recount updates the queue's counts of its lanes. It is called whenever the messages of this lane have changed.
func (l *lane) recount() {
	holds := l.msgs.n > 0
	blocks := holds && l.msgs.head.fails > 0
	if holds != l.holds {
		l.queue.holding += sign(holds)
	}
	if blocks != l.blocks {
		l.queue.blocked += sign(blocks)
	}
	l.holds, l.blocks = holds, blocks
}

func sign(up bool) int {
	if up {
		return 1
	}
	return -1
}

// laneSend enqueues one message (DQ-3, DQ-7).
func (d *decision) laneSend(queue, key string, msg Outgoing) (ID, error) {
	if err := CheckLaneSend(queue, msg); err != nil {
		return ID{}, err
	}
	id := d.newID()
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // a UUID of version 4 (DQ-7)
	d.emit(&LaneSent{Queue: queue, Key: key, ID: id, ContentType: msg.ContentType, Body: msg.Body})
	return id, nil
}

// settleLane applies an outcome to the messages of a delivery (DQ-10..DQ-20). The consumer has already applied "first
// settlement wins", so the outcome holds one verdict for each message.
func (d *decision) settleLane(l *lane, msgs []*message, began int64, o Outcome) settled {
	var out settled
	failure := Failure{Reason: ReasonRetry}
	if o.Failure != nil {
		failure = *o.Failure
	}
	config := l.queue.config
	again := &LaneRetried{Queue: l.queue.name, Key: l.key, Began: fromMillis(began)}
	for _, m := range msgs {
		if l.find(m.num) != m {
			continue // removed by an operator meanwhile
		}
		v := o.verdict(m.id)
		switch {
		case !v.retry:
			out.acked = append(out.acked, m)
		case int(m.fails)+1 > config.MaxRetries && config.DeadLetter:
			out.dead = append(out.dead, m)
		case int(m.fails)+1 > config.MaxRetries:
			out.dropped = append(out.dropped, m)
		default:
			out.retried = append(out.retried, m)
			delay := config.backoff(int(m.fails)+1, d.random())
			if v.delay.set {
				delay = v.delay.millis() // DQ-15
			}
			again.Nums = append(again.Nums, m.num)
			again.Due = append(again.Due, fromMillis(d.now+delay))
		}
	}
	if len(out.acked) > 0 {
		d.emit(&LaneRemoved{Queue: l.queue.name, Key: l.key, Reason: LaneAcked, Nums: nums(out.acked)})
	}
	if len(out.retried) > 0 {
		d.emit(again)
	}
	for _, m := range out.dead {
		d.emit(&LaneHandedOff{
			Queue: l.queue.name, Key: l.key, Num: m.num, Began: fromMillis(began),
			Reason: failure.Reason, Error: failure.Error, Stack: failure.Stack,
		})
	}
	if len(out.dropped) > 0 {
		d.emit(&LaneRemoved{Queue: l.queue.name, Key: l.key, Reason: LaneExhausted, Nums: nums(out.dropped)})
	}
	return out
}

// settleHandOff records whether the dead letter handler succeeded (DQ-20, DQ-21).
func (d *decision) settleHandOff(l *lane, m *message, err error) {
	if l.find(m.num) != m {
		return
	}
	if err == nil {
		d.emit(&LaneRemoved{Queue: l.queue.name, Key: l.key, Reason: LaneHandOffDone, Nums: []uint64{m.num}})
		return
	}
	tries := int(m.fails) - m.hist.dead.Attempts + 1
	d.emit(&LaneHandOffFailed{
		Queue: l.queue.name, Key: l.key, Num: m.num, Error: err.Error(),
		Due: fromMillis(d.now + l.queue.config.backoff(tries, d.random())),
	})
}

// next says what the lane has to do now: deliver the batch, hand off the one message in it, or wait until the time in
// until. An until of 0 means that the lane waits for a message.
func (l *lane) next(now int64) (batch []*message, handOff bool, until int64) {
	head := l.msgs.head
	if head == nil {
		return nil, false, 0
	}
	if due := max(head.key, l.notBefore); due > now {
		return nil, false, due
	}
	if head.at == atHandOff {
		return []*message{head}, true, 0
	}
	for m := head; m != nil && m.at == atReady && m.key <= now &&
		len(batch) < l.queue.config.MaxBatchSize; m = m.link[byArrival].next {
		batch = append(batch, m)
	}
	return batch, false, 0
}

// sorted returns the lanes of one queue by key. Whatever is done to all of them then happens in the same order in every
// run.
func (q *laneQueue) sorted() []*lane {
	out := make([]*lane, 0, len(q.lanes))
	for _, l := range q.lanes {
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b *lane) int { return strings.Compare(a.key, b.key) })
	return out
}

func (s *State) sortedLanes() []*lane {
	names := make([]string, 0, len(s.lanes))
	for name := range s.lanes {
		names = append(names, name)
	}
	slices.Sort(names)
	var out []*lane
	for _, name := range names {
		out = append(out, s.lanes[name].sorted()...)
	}
	return out
}
