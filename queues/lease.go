package queues

import (
	"container/heap"
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"eddy/queues/logstore"
)

// lease is a set of messages that somebody is working on: a push consumer (one batch) or a puller. The only
// difference is that a push lease is not logged: it ends with the process, and the messages are where they were.
type lease struct {
	num   uint64
	push  bool
	held  bool  // its messages cannot be read, see held.go; a push lease without a delivery
	began int64 // ms
	until int64 // ms: visibility timeout, or the wall time limit of a delivery
	msgs  []*message
	keys  []int64  // of msgs, their positions in the ready order
	index int      // in the queue's expiry heap, or noExpiry
	order []uint64 // while a snapshot is loaded: the numbers of msgs
	// delivery is the push delivery in flight; the broker's, not part of the state.
	delivery *delivery
}

// grant puts ready messages under the lease. While it is leased a message's key is the lease's number.
func (q *queue) grant(l *lease) {
	l.keys = make([]int64, len(l.msgs))
	for i, m := range l.msgs {
		q.ready.remove(m)
		q.waiting.lease(m)
		l.keys[i] = m.key
		m.at, m.key = atLease, int64(l.num)
	}
	if q.leases == nil {
		q.leases = map[uint64]*lease{}
	}
	q.leases[l.num] = l
	q.expire(l)
}

// noExpiry is the index of a lease that does not end by itself.
const noExpiry = -1

// expire makes the lease end at its time.
func (q *queue) expire(l *lease) { heap.Push(&q.expiry, l) }

// unlease takes one message out of its lease; the lease ends with its last message.
func (q *queue) unlease(m *message) {
	l := q.leases[uint64(m.key)]
	for i := range l.msgs {
		if l.msgs[i] == m {
			l.msgs = append(l.msgs[:i], l.msgs[i+1:]...)
			l.keys = append(l.keys[:i], l.keys[i+1:]...)
			break
		}
	}
	if len(l.msgs) == 0 {
		delete(q.leases, l.num)
		if l.index != noExpiry {
			heap.Remove(&q.expiry, l.index)
		}
	}
}

// isHeld tells whether a message that is leased is held: nobody has it.
func (q *queue) isHeld(m *message) bool { return m.at == atLease && q.leases[uint64(m.key)].held }

// heldMessages counts those.
func (q *queue) heldMessages() (n int) {
	for _, l := range q.held {
		n += len(l.msgs)
	}
	return n
}

// giveBack ends a push lease as if it had never been: its messages return to their positions.
func (q *queue) giveBack(l *lease) {
	var last *message
	for len(l.msgs) > 0 {
		m, key := l.msgs[0], l.keys[0]
		q.unlease(m)
		m.at, m.key = atReady, key
		q.ready.insertByKey(m, last) // a lease has its messages in the ready order
		q.waiting.release(m)
		last = m
	}
}

type leaseHeap []*lease

func (h leaseHeap) Len() int { return len(h) }
func (h leaseHeap) Less(i, j int) bool {
	if h[i].until != h[j].until {
		return h[i].until < h[j].until
	}
	return h[i].num < h[j].num
}
func (h leaseHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *leaseHeap) Push(x any) {
	l := x.(*lease)
	l.index = len(*h)
	*h = append(*h, l)
}
func (h *leaseHeap) Pop() any {
	old := *h
	l := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return l
}

// token is the opaque lease id, or ref, that a client holds: queue, lease (0 in a ref) and message number.
type token struct{ queue, lease, num uint64 }

func (t token) String() string {
	b := binary.AppendUvarint(nil, t.queue)
	b = binary.AppendUvarint(b, t.lease)
	b = binary.AppendUvarint(b, t.num)
	b = binary.LittleEndian.AppendUint32(b, logstore.Checksum(b))
	return base64.RawURLEncoding.EncodeToString(b)
}

func parseToken(s string) (token, error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) < 7 || binary.LittleEndian.Uint32(b[len(b)-4:]) != logstore.Checksum(b[:len(b)-4]) {
		return token{}, fmt.Errorf("%q was not issued by this server", s)
	}
	c := &coder{b: b, end: len(b) - 4, reading: true}
	var t token
	c.uint(&t.queue)
	c.uint(&t.lease)
	c.uint(&t.num)
	return t, c.err
}
