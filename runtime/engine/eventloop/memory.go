package eventloop

import (
	"errors"
	"time"

	"eddy/runtime/heapwatch"
)

// memoryText is what the platform says.
const memoryText = "Worker exceeded memory limit."

// ErrMemoryLimit is why a scope is lost whose turn added too much to the process's memory.
var ErrMemoryLimit = errors.New(memoryText)

// memoryWatch is what is known of the memory during one turn. Guarded by watch.mu.
//
// Engines share the heap, and nothing tells whose an object is. The first look at a turn comes when it has lasted for a
// moment. The bytes in use then are the base. They include garbage that was not collected yet, because it may have been
// alive when the turn began. So a turn may add the limit and as much again as was garbage then, which is no more than
// was alive.
//
// A turn that makes garbage as fast as the processor copies it takes the memory limit within some tens of milliseconds,
// and the collector, which may take half of the processors and not more, does not keep up. So the looks come closer to
// one another the more is allocated between them, and the collector is asked once the limit is in use on top of what it
// last found alive.
type memoryWatch struct {
	turn      uint64 // counts the turns
	base      uint64 // bytes in use when the turn was first looked at, 0 before
	allocated uint64 // bytes that the process had allocated at that look
	next      uint64 // bytes in use from which on the collector is asked
	hit       bool

	seen uint64        // bytes that the process had allocated at the last look
	at   time.Time     // of the last look
	wait time.Duration // until the next look, at most; 0 before the first one
}

// start forgets the turn before.
func (m *memoryWatch) start() { *m = memoryWatch{turn: m.turn + 1} }

// see is called at each look at the memory. The first look at a turn takes the base, which costs a short turn nothing.
func (m *memoryWatch) see(limit uint64) {
	if m.base == 0 {
		m.first(heapwatch.InUse(), heapwatch.Live(), heapwatch.Allocated(), limit)
	}
}

// first begins with what is in use, of which live was found alive by the last collection.
func (m *memoryWatch) first(used, live, allocated, limit uint64) {
	m.base, m.allocated, m.next = used, allocated, min(used, live)+limit
}

// pace finds when the next look is to come: when an eighth of the limit will have been allocated since this one.
// allocated is what the process has allocated by now.
func (m *memoryWatch) pace(now time.Time, allocated, limit uint64) {
	if m.seen == 0 {
		m.wait = firstWait
	} else {
		more := max(allocated-m.seen, 1)
		soon := float64(now.Sub(m.at)) * float64(limit/8) / float64(more)
		m.wait = time.Duration(min(max(soon, float64(leastWait)), float64(lookEvery)))
	}
	m.seen, m.at = allocated, now
}

// grown is the most that the turn can have added if live bytes are in use now: what exceeds the base, but no more than
// the process has allocated since then.
func (m *memoryWatch) grown(live uint64) uint64 {
	return min(live-min(live, m.base), heapwatch.Allocated()-m.allocated)
}

// lookEvery is how often a turn that lasts has its memory looked at, and leastWait how often where much is allocated.
// The first two looks come after firstWait each: how much a turn allocates is known by two.
const lookEvery, firstWait, leastWait = 20 * time.Millisecond, 4 * time.Millisecond, 2 * time.Millisecond

// look ends the turn that runs if it has added more than the limit. It asks the collector only if the bytes in use say
// that this may be so. The loop's own goroutine does not call it.
func (l *Loop) look() {
	w, limit := &l.watch, l.allowance()
	if limit == 0 {
		return
	}
	w.mu.Lock()
	m := &w.mu.memory
	if w.mu.scope == nil || m.hit {
		w.mu.Unlock()
		return
	}
	m.see(limit)
	m.pace(time.Now(), heapwatch.Allocated(), limit)
	used, turn := heapwatch.InUse(), m.turn
	asked := used > m.next
	w.mu.Unlock()
	if !asked {
		return
	}
	resume := l.machine.Pause() // or it takes as much again while it is weighed
	defer resume()
	live := heapwatch.Collect()
	fault := l.atFault(limit)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mu.scope == nil || m.turn != turn {
		return
	}
	m.next = max(min(m.base, live)+limit, live+limit/8)
	m.seen, m.at = heapwatch.Allocated(), time.Now()
	if m.grown(live) > limit && fault {
		l.full()
	}
}

// atFault tells, after a collection in which the process had too much, whether this isolate may have taken it. It may
// not if another isolate holds more and this one holds less than half.
func (l *Loop) atFault(bytes uint64) bool {
	weights, err := heapwatch.Weigh()
	own, known := weights.Of(l.share)
	return err != nil || !known || own > bytes/2 || own >= weights.Heaviest()
}

// full ends the turn that runs. Under watch.mu.
func (l *Loop) full() {
	w := &l.watch
	w.mu.memory.hit = true
	l.Interrupt(memoryText)
	for _, fn := range w.mu.told {
		fn(true)
	}
}

// Reserve is told before so many bytes are taken at once. If they take the turn over its limit it is ended: the caller
// meets the interrupt before the allocation. Loop goroutine only.
func (l *Loop) Reserve(bytes uint64) {
	w, limit := &l.watch, l.allowance()
	if limit == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	m := &w.mu.memory
	if w.mu.scope == nil || m.hit {
		return
	}
	m.see(limit)
	if bytes <= limit && m.grown(heapwatch.InUse()) <= limit-bytes {
		return
	}
	if bytes > limit || m.grown(heapwatch.Collect()) > limit-bytes && l.atFault(limit-bytes) {
		l.full()
	}
}

// Need is Reserve, and ends the native function that calls it if the turn is over.
func (l *Loop) Need(bytes int64) {
	if bytes < manyBytes {
		return
	}
	l.Reserve(uint64(bytes))
	l.machine.RaiseInterrupt()
}

// Poll ends the native function that calls it if the turn is over.
func (l *Loop) Poll() { l.machine.RaiseInterrupt() }

// Await runs work on a goroutine of its own, in a slot for heavy work, while the native function that calls Await
// waits. Nothing can interrupt work, and it shares nothing with the loop: if a limit ends the turn, Await waits no
// longer. The slot is taken until work is done, so that what turns leave behind takes no more processors than there are
// slots. Loop goroutine only.
func (l *Loop) Await(work func()) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	l.takeSlot(look.C)
	done, failed := make(chan struct{}), any(nil)
	l.Go(func() {
		defer close(done)
		defer func() { <-l.heavy }()
		defer func() { failed = recover() }()
		work()
	})
	for {
		select {
		case <-done:
			if failed != nil {
				panic(failed)
			}
			return
		case <-look.C:
			l.machine.RaiseInterrupt()
		}
	}
}

// takeSlot waits for a slot for heavy work and looks for the end of the turn meanwhile.
func (l *Loop) takeSlot(look <-chan time.Time) {
	for {
		select {
		case l.heavy <- struct{}{}:
			return
		default:
		}
		select {
		case l.heavy <- struct{}{}:
			return
		case <-look:
			l.machine.RaiseInterrupt()
		}
	}
}

// manyBytes is the size from which on Need calls Reserve.
const manyBytes = 1 << 20
