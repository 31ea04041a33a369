package eventloop

import (
	"errors"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"eddy/runtime/heapwatch"
)

// memoryText is the platform's.
const memoryText = "Worker exceeded memory limit."

// ErrMemoryLimit is why a scope is lost whose turn added too much to the process's memory.
var ErrMemoryLimit = errors.New(memoryText)

// memoryWatch is what is known of the memory during one turn. Guarded by watch.mu.
type memoryWatch struct {
	base uint64 // bytes alive before the turn, as far as is known
	next uint64 // bytes in use, garbage too, from which the collector is asked
	hit  bool
}

// heapWatch looks at the memory whenever the collector has ended a cycle: a heap that grows makes it run, and one that
// does not costs nothing. A turn that lasts is looked at beside that (look), for the collector lets the heap double
// before it runs. Engines share the heap, so growth is put on the turn that was running when it was seen.
type heapWatch struct {
	sync.Mutex
	loops map[*Loop]struct{}
	armed bool
	// live is what was alive at the end of the last cycle, 0 before the first.
	live atomic.Uint64
}

var watched = heapWatch{loops: map[*Loop]struct{}{}}

func watchHeap(l *Loop) {
	watched.Lock()
	defer watched.Unlock()
	watched.loops[l] = struct{}{}
	watched.arm()
}

func unwatchHeap(l *Loop) {
	watched.Lock()
	defer watched.Unlock()
	delete(watched.loops, l)
}

// arm has collected called after each cycle, unless nobody is watched. Under the lock.
func (h *heapWatch) arm() {
	if h.armed || len(h.loops) == 0 {
		return
	}
	h.armed = true
	heapwatch.Each(h.collected)
}

func (h *heapWatch) collected(live uint64) (again bool) {
	h.live.Store(live)
	h.Lock()
	defer h.Unlock()
	for l := range h.loops {
		l.weigh(live)
	}
	h.armed = len(h.loops) > 0
	return h.armed
}

// start is what is known of the memory when a turn starts.
func (m *memoryWatch) start(limit uint64) {
	*m = memoryWatch{base: watched.live.Load()}
	m.next = m.base + limit
}

// weigh ends the turn that runs if it has added more than the limit. Any goroutine.
func (l *Loop) weigh(live uint64) {
	w := &l.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	l.weighLocked(live)
}

func (l *Loop) weighLocked(live uint64) {
	w := &l.watch
	m := &w.mu.memory
	switch {
	case w.mu.scope == nil || m.hit || l.opts.MemoryLimit == 0:
	case m.base == 0:
		m.base = live
		m.next = live + l.opts.MemoryLimit
	case live > m.base+l.opts.MemoryLimit:
		m.hit = true
		l.rt.Interrupt(memoryText)
		for _, fn := range w.mu.told {
			fn(true)
		}
	default:
		m.next = max(m.base+l.opts.MemoryLimit, live+l.opts.MemoryLimit/8)
	}
}

// lookEvery is how often a turn that lasts has its memory looked at.
const lookEvery = 20 * time.Millisecond

// look asks the collector what is alive if the turn that runs uses more than its share. Any goroutine but the loop's.
func (l *Loop) look() {
	w := &l.watch
	w.mu.Lock()
	asked := w.mu.scope != nil && !w.mu.memory.hit && w.mu.memory.base > 0 && inUse() > w.mu.memory.next
	w.mu.Unlock()
	if asked {
		runtime.GC()
		l.weigh(heapwatch.Live())
	}
}

// inUse is how many bytes objects take, with those that are garbage and not collected yet.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Reserve is told before so many bytes are taken at once. If they take the turn over its limit it is ended: the caller
// meets the interrupt before the allocation. Loop goroutine only.
func (l *Loop) Reserve(bytes uint64) {
	if l.opts.MemoryLimit == 0 {
		return
	}
	w := &l.watch
	w.mu.Lock()
	running, limit := w.mu.scope != nil, w.mu.memory.base+l.opts.MemoryLimit
	w.mu.Unlock()
	if !running || bytes <= l.opts.MemoryLimit && inUse()+bytes <= limit {
		return
	}
	live := uint64(0)
	if bytes <= l.opts.MemoryLimit {
		runtime.GC()
		live = heapwatch.Live()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mu.memory.base == 0 && live > 0 {
		w.mu.memory.base = live
	}
	l.weighLocked(max(w.mu.memory.base, 1) + bytes + live - min(live, w.mu.memory.base))
}
