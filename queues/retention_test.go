package queues

import (
	"math/rand/v2"
	"testing"
)

// bare is a state without a broker: one queue, and a decision to change it with.
func bare() (*decision, *queue) {
	s := newState()
	s.now = 1
	var ids byte
	d := &decision{
		state:  s,
		now:    1,
		record: func(LogEvent) {},
		random: func() float64 { return 0.5 },
		newID:  func() ID { ids++; return ID{ids} },
	}
	c := DefaultConsumer("q", PullConsumer)
	c.MaxRetries = MaxRetriesLimit
	d.declare(Topology{Consumers: []ConsumerConfig{c}})
	return d, s.byName["q"]
}

// sendMany adds n messages, at most as many at a time as a send takes.
func sendMany(d *decision, n int) {
	for ; n > 0; n -= MaxBatchCount {
		if _, _, err := d.send("q", make([]Outgoing, min(n, MaxBatchCount)), Delay{}); err != nil {
			panic(err)
		}
	}
}

// leaseMany lends all messages that are ready.
func leaseMany(d *decision, q *queue) {
	for q.ready.n > 0 {
		if _, _, err := pull(d, "q", PullOptions{BatchSize: MaxBatchSizeLimit,
			VisibilityTimeout: MaxVisibilityTimeout}); err != nil {
			panic(err)
		}
	}
}

// The oldest message that waits is found whatever happened before, as a walk would find it.
func TestOldestWaiting(t *testing.T) {
	d, q := bare()
	r := rand.New(rand.NewPCG(1, 1))
	any := func(want uint8) *message {
		var all []*message
		for m := q.arrival.head; m != nil; m = m.link[byArrival].next {
			if m.at == want {
				all = append(all, m)
			}
		}
		if len(all) == 0 {
			return nil
		}
		return all[r.IntN(len(all))]
	}
	for i := range 20_000 {
		d.now++
		d.state.now = d.now
		switch m := any(atLease); {
		case r.IntN(4) == 0 && q.arrival.n < 60:
			sendMany(d, 1+r.IntN(3))
		case r.IntN(3) == 0:
			if _, _, err := pull(d, "q", PullOptions{BatchSize: 1 + r.IntN(9)}); err != nil {
				t.Fatal(err)
			}
		case m != nil && r.IntN(2) == 0:
			delay := DelaySeconds(int32(r.IntN(2)))
			d.settle(q, settlement{began: 1, retried: []retried{{m, delay}}})
		case m != nil && r.IntN(3) == 0:
			q.giveBack(q.leases[uint64(m.key)])
		case m != nil:
			d.settle(q, settlement{acked: []*message{m}})
		default:
			if m := any(atReady); m != nil {
				d.emit(&Dropped{Queue: q.serial, Nums: []uint64{m.num}})
			}
		}
		q.promote(d.now)
		var want *message
		for m := q.arrival.head; m != nil && want == nil; m = m.link[byArrival].next {
			if m.at != atLease {
				want = m
			}
		}
		if got := q.waiting.oldest(); got != want {
			t.Fatalf("step %d: the oldest that waits is %v, want %v", i, got, want)
		}
	}
}

// However many messages are leased, finding the oldest that waits looks at each of them once, not once for every
// change.
func TestLeasedMessagesArePassedOnce(t *testing.T) {
	const n = 20_000
	d, q := bare()
	sendMany(d, n)
	leaseMany(d, q)
	for range 1000 {
		q.nextDeadline()
		d.settle(q, settlement{began: 1, retried: []retried{{m: q.arrival.head}}})
		q.nextDeadline()
		leaseMany(d, q)
		sendMany(d, 1)
		d.expireMessages(q)
	}
	if most := n + 2000; q.waiting.passed > most {
		t.Errorf("%d messages were passed, want %d at most", q.waiting.passed, most)
	}
}

// A walk that is resumed finds the next message by its number, whatever has gone meanwhile.
func TestFromNumber(t *testing.T) {
	d, q := bare()
	sendMany(d, 1000)
	r := rand.New(rand.NewPCG(2, 2))
	for q.arrival.n > 0 {
		num := uint64(r.IntN(1100))
		var want *message
		for m := q.arrival.head; m != nil && want == nil; m = m.link[byArrival].next {
			if m.num >= num {
				want = m
			}
		}
		if got := q.from(num); got != want {
			t.Fatalf("from %d: %v, want %v", num, got, want)
		}
		if want == nil {
			want = q.arrival.tail
		}
		d.emit(&Dropped{Queue: q.serial, Nums: []uint64{want.num}})
	}
}
