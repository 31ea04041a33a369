package queues

import (
	"errors"
	"fmt"
	"time"

	"eddy/queues/logstore"
)

// A disk that is full.
//
// The turn whose group finds no room has been decided already, and the state is what it says. So its group is kept, and
// nothing is decided until it has been written: commands that ask are refused, the others wait. What the turn was asked
// to send is refused, too, and taken back in the same group. Its deliveries begin when it is written.

// roomEvery is how often the group is tried again when nobody asks for anything.
const roomEvery = time.Second

// wait keeps a turn whose group finds no room.
func (b *Broker) wait(t *turn, err error) {
	for _, f := range t.undo {
		f()
	}
	b.waiting = t
	after := t.after
	t.after, t.undo, t.news = nil, nil, nil
	t.full = fmt.Errorf("nothing can be sent or acknowledged until there is room on the disk: %w", err)
	b.warn(fmt.Sprintf("The queues wait: %v", t.full))
	for _, f := range after {
		f(t.full)
	}
	b.tryLater()
}

func (b *Broker) tryLater() {
	b.clock.AfterFunc(roomEvery, func() {
		_ = b.ask(func(*turn) {}) // a closed broker refuses it: nothing waits any more
	})
}

// again writes the group that waits. If there is still no room, it refuses the commands that ask, keeps the others and
// reports false.
func (b *Broker) again(inbox []command) bool {
	w := b.waiting
	at, err := b.log.Append(b.code.b, true)
	if !errors.Is(err, logstore.ErrFull) {
		b.waiting, b.events = nil, 0
		if err != nil {
			b.refuse(err)
		} else {
			b.place(at)
			b.settling.open = false
			b.warn("There is room on the disk again: the queues go on.")
		}
		b.answer(w, err)
		return true
	}
	b.mu.Lock()
	closed := b.mu.closed
	b.mu.Unlock()
	t := &turn{b: b, full: w.full}
	t.decision = &decision{state: b.state, now: b.state.now, newID: b.newID, random: b.random, record: b.record}
	var kept []command
	for _, c := range inbox {
		if c.asks || closed {
			c.run(t)
		} else {
			kept = append(kept, c)
		}
	}
	for _, f := range t.after {
		f(nil)
	}
	if closed {
		for _, d := range w.starts {
			d.cancel(ErrClosed)
		}
		for _, f := range w.flights {
			f.cancel(ErrClosed)
		}
		return false
	}
	b.mu.Lock()
	b.mu.inbox = append(kept, b.mu.inbox...)
	b.mu.Unlock()
	if len(inbox) > 0 {
		b.tryLater()
	}
	return false
}

// undoSend takes back the last messages of a queue if they are refused.
func (t *turn) undoSend(q *queue, count int) {
	last := q.arrival.tail.num
	t.undo = append(t.undo, func() {
		e := &Acked{Queue: q.serial}
		for num := last + 1 - uint64(count); num <= last && !q.deleted; num++ {
			if q.numbers.get(num) != nil { // not purged in the same turn
				e.Nums = append(e.Nums, num)
			}
		}
		if len(e.Nums) > 0 {
			t.emit(e)
		}
	})
}

// undoLaneSend takes back a message of a lane if it is refused.
func (t *turn) undoLaneSend(queue, key string, id ID) {
	t.undo = append(t.undo, func() {
		for _, l := range t.state.sortedLanes() {
			if l.queue.name != queue || l.key != key {
				continue
			}
			for m := l.msgs.head; m != nil; m = m.link[byArrival].next {
				if m.id == id {
					t.emit(&LaneRemoved{Queue: queue, Key: key, Reason: LaneAcked, Nums: []uint64{m.num}})
					return
				}
			}
		}
	})
}
