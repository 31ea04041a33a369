package eventloop

import (
	"fmt"
	"sync"
	"time"

	"eddy/runtime/heapwatch"
)

// An isolate may keep only so much from turn to turn. It is looked at when the process has grown by a good part of what
// the isolate may still take, at the end of a cycle of the garbage collector: that costs nothing while nothing grows.
// Then the isolate is weighed, by its share of the heap. If it weighs a good part of its limit, the collector is asked
// more often, lest as much garbage be in use again as is alive.
//
// Collector and scale have goroutines of their own, which may get no processor while the loop has one. So the loop
// looks between turns, too, and when the process goes on growing it waits for the scale (settleKept).

// kept is what is known of the memory that the isolate keeps.
type kept struct {
	sync.Mutex        // guards all below
	weight     uint64 // what the isolate weighed last
	least      uint64 // the least that was alive in the process since
	weighing   bool
	from       uint64        // bytes that were in use when weighing began
	read       chan struct{} // closed when the scale has been read
	suspect    bool          // it was too heavy while a turn may have run; the loop is to look again
	relieved   bool          // Relieve was called, and the isolate was not below its limit since
	pacing     bool
	ended      bool // it is not weighed any more: it was too heavy, or it cannot be weighed
}

// KeptError is why an isolate is lost that keeps more than its limit. It is [ErrMemoryLimit] for [errors.Is].
type KeptError struct{ Bytes, Limit uint64 }

func (e *KeptError) Error() string { return memoryText }

// Unwrap makes it ErrMemoryLimit.
func (e *KeptError) Unwrap() error { return ErrMemoryLimit }

// Report is the text for a person.
func (e *KeptError) Report() string {
	return fmt.Sprintf("%s What it keeps from event to event (globals, caches, timers, connections) has grown to "+
		"%d MB; the limit is %d MB.", memoryText, e.Bytes>>20, e.Limit>>20)
}

// allowance is how much a turn may add. What the isolate keeps leaves less for its turns, but each turn may add
// something.
func (l *Loop) allowance() uint64 {
	limit := l.opts.MemoryLimit
	if limit == 0 {
		return 0
	}
	k := &l.kept
	k.Lock()
	defer k.Unlock()
	return limit - min(k.weight, limit*3/4)
}

// keeps tells whether what the isolate keeps has a limit.
func (l *Loop) keeps() bool { return l.opts.MemoryLimit > 0 && l.opts.Lost != nil }

// watchKept lets collected look at the isolate as long as the loop runs.
func (l *Loop) watchKept() {
	if !l.keeps() {
		return
	}
	l.kept.least = heapwatch.Live()
	heapwatch.Each(l.collected)
}

// collected is called with what is alive in the process. Any goroutine, and it must not block.
func (l *Loop) collected(live uint64) (again bool) {
	k, limit := &l.kept, l.opts.MemoryLimit
	k.Lock()
	defer k.Unlock()
	if k.ended || l.isStopped() {
		return false
	}
	k.least = min(k.least, live)
	step := min(max((limit-min(k.weight, limit))/2, limit/16), limit/4)
	if live-k.least > step {
		l.beginToWeigh(heapwatch.InUse())
	}
	return true
}

// beginToWeigh puts the isolate on the scale unless it is there. Under kept's lock.
func (l *Loop) beginToWeigh(used uint64) {
	k := &l.kept
	if k.weighing {
		return
	}
	k.weighing, k.from, k.read = true, used, make(chan struct{})
	go l.weigh(k.read)
}

// weigh tells how much the isolate keeps, as far as one can while a turn may run: too much is looked at again between
// turns.
func (l *Loop) weigh(read chan struct{}) {
	defer close(read)
	weight, known := l.weight()
	if known && weight > l.opts.MemoryLimit {
		l.kept.Lock()
		l.kept.suspect = true
		l.kept.Unlock()
		if l.Post(l.tooHeavy) {
			return
		}
	}
	l.weighed(weight, !known)
}

// settleEvery is how long the loop runs turns before it looks at what they have left.
const settleEvery = time.Millisecond

// settleKept is called between turns. If Go's runtime has not told collected what is alive, settleKept tells it. It has
// the isolate weighed when what is in use may be kept and too much, and waits for the scale when an eighth of the limit
// has come on top since. Loop goroutine only.
func (l *Loop) settleKept() {
	if !l.keeps() {
		return
	}
	now := time.Now()
	if now.Sub(l.settled) < settleEvery {
		return
	}
	live, used := heapwatch.Live(), heapwatch.InUse()
	if !l.collected(live) {
		l.settled = now.Add(unbounded)
		return
	}
	k, limit := &l.kept, l.opts.MemoryLimit
	k.Lock()
	if used > live+max(limit/4, limit-min(k.weight, limit)) {
		l.beginToWeigh(used)
	}
	wait, read := k.weighing && used > k.from+limit/8, k.read
	k.Unlock()
	if wait {
		<-read
	}
	l.tooHeavy()
	l.settled = time.Now()
}

// weight is what of the isolate's memory is alive now.
func (l *Loop) weight() (bytes uint64, known bool) {
	heapwatch.Collect()
	weights, err := heapwatch.Weigh()
	if err != nil {
		return 0, false
	}
	return weights.Of(l.share)
}

// weighed notes the weight.
func (l *Loop) weighed(weight uint64, ended bool) {
	k := &l.kept
	k.Lock()
	defer k.Unlock()
	k.weight, k.least, k.weighing, k.ended = weight, heapwatch.Live(), false, ended
	k.relieved = weight > l.opts.MemoryLimit // only tooHeavy notes such a weight, and the second time it is the end
	if heavy := weight > l.opts.MemoryLimit/4 && !ended; heavy && !k.pacing {
		k.pacing = true
		time.AfterFunc(paceEvery, l.pace)
	}
}

// paceEvery is how often the garbage of a heavy isolate is looked at.
const paceEvery = 50 * time.Millisecond

// pace asks the collector when a quarter of the limit has come on top of what was alive. The collection tells
// collected.
func (l *Loop) pace() {
	k, limit := &l.kept, l.opts.MemoryLimit
	k.Lock()
	k.pacing = k.weight > limit/4 && !k.ended && !l.isStopped()
	again := k.pacing
	k.Unlock()
	if !again {
		return
	}
	if heapwatch.InUse() > heapwatch.Live()+limit/4 {
		heapwatch.Collect()
	}
	time.AfterFunc(paceEvery, l.pace)
}

// tooHeavy gives a suspect isolate up if it keeps too much while no turn runs. Before that what can be made again goes,
// and the next weighing decides, when a sixteenth of the limit has come on top: what was let go may be held for some
// turns more. Loop goroutine only.
func (l *Loop) tooHeavy() {
	k := &l.kept
	k.Lock()
	suspect, relieved := k.suspect, k.relieved
	k.suspect = false
	k.Unlock()
	if !suspect {
		return
	}
	weight, known := l.weight()
	limit := l.opts.MemoryLimit
	over := known && weight > limit
	if over && l.opts.Relieve != nil && !relieved {
		l.whole(l.opts.Relieve)
		l.weighed(weight, false)
		return
	}
	l.weighed(weight, over || !known)
	if over {
		l.lose(nil, &KeptError{Bytes: weight, Limit: limit})
	}
}
