package eventloop

import (
	"errors"
	"runtime"
	"runtime/metrics"
	"sync"
)

// memoryText is the platform's.
const memoryText = "Worker exceeded memory limit."

// ErrMemoryLimit is why a scope is lost whose turn added too much to the process's memory.
var ErrMemoryLimit = errors.New(memoryText)

// memoryWatch is what is known of the memory during one turn. Guarded by watch.mu.
type memoryWatch struct {
	seen bool   // a collection has ended in this turn
	base uint64 // bytes alive at the first of them
	hit  bool
}

// heapWatch looks at the memory whenever the collector has ended a cycle: a heap that grows makes it run, and one that
// does not costs nothing. Engines share the heap, so growth is put on the turns that were running from one
// collection to a later one; a turn during which no two collections end is never blamed.
type heapWatch struct {
	sync.Mutex
	loops map[*Loop]struct{}
	armed bool
}

var watched = heapWatch{loops: map[*Loop]struct{}{}}

// sentinel dies with the next collection. It has a pointer, so that it is no part of a larger block of tiny objects.
type sentinel struct{ _ *sentinel }

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

// arm has collected called after the next cycle, unless nobody is watched. Under the lock.
func (h *heapWatch) arm() {
	if h.armed || len(h.loops) == 0 {
		return
	}
	h.armed = true
	runtime.AddCleanup(&sentinel{}, func(h *heapWatch) { h.collected() }, h)
}

func (h *heapWatch) collected() {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	h.Lock()
	defer h.Unlock()
	h.armed = false
	for l := range h.loops {
		l.weigh(sample[0].Value.Uint64())
	}
	h.arm()
}

// weigh ends the turn that runs if it has added more than the limit. Any goroutine.
func (l *Loop) weigh(live uint64) {
	w := &l.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	m := &w.mu.memory
	switch {
	case w.mu.scope == nil || m.hit:
	case !m.seen:
		m.seen, m.base = true, live
	case live > m.base+l.opts.MemoryLimit:
		m.hit = true
		l.rt.Interrupt(memoryText)
		for _, fn := range w.mu.told {
			fn(true)
		}
	}
}
