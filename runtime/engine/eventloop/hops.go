package eventloop

import (
	"errors"
	"sync/atomic"

	"eddy/runtime/cause"
)

// Hops says through how many Workers and objects an event has come. It belongs to the async context. What an event
// causes by calling others is one deeper, however much later it calls; timers, alarms and messages begin at zero. It
// has the event's cause with it, as far as anybody records what happens.
type Hops struct {
	objects, workers uint8
	// calls counts the calls that the first event has led to, all together; nil before the first.
	calls *atomic.Int32
	// Cause is the event that runs; what it sends or calls is caused by it. There is none if nothing is recorded.
	Cause cause.Cause
}

// These are production's texts for a call that would be too deep, and for one too many.
var (
	ErrDepth = errors.New("Subrequest depth limit exceeded. This request recursed through Workers too many times. " +
		"This can happen e.g. if you have a Worker or Durable Object that calls other Workers or objects recursively.")
	ErrCalls = errors.New("Too many subrequests.")
)

// Limits of production: 16 objects below each other, the first Worker counted as one, and 32 Workers between two of
// them.
const maxObjects, maxWorkers = 16, 32

// maxCalls bounds the calls below one event. Production allows each event as many subrequests; with the depth alone, a
// Worker that calls itself twice would make four billion.
const maxCalls = 10_000

// Worker returns the hops of an event that is sent to a Worker now, or why it must not be.
func (h Hops) Worker() (Hops, error) {
	h.workers++
	return h.called(h.workers < maxWorkers)
}

// Object returns the hops of an event that is sent to an object now, or why it must not be.
func (h Hops) Object() (Hops, error) {
	h.objects++
	h.workers = 0
	return h.called(h.objects < maxObjects)
}

func (h Hops) called(shallow bool) (Hops, error) {
	if !shallow {
		return h, ErrDepth
	}
	if h.calls == nil {
		h.calls = new(atomic.Int32)
	}
	if h.calls.Add(1) > maxCalls {
		return h, ErrCalls
	}
	return h, nil
}

// Depth is what another process must know of the hops to go on counting: the depths, and the calls so far.
func (h Hops) Depth() (objects, workers uint8, calls int32) {
	if h.calls != nil {
		calls = h.calls.Load()
	}
	return h.objects, h.workers, calls
}

// Deep are the hops of an event that came from another process. Calls are counted on from there; what the other process
// adds later is not known here.
func Deep(objects, workers uint8, calls int32, by cause.Cause) Hops {
	h := Hops{objects: min(objects, maxObjects), workers: min(workers, maxWorkers), calls: new(atomic.Int32), Cause: by}
	h.calls.Store(min(max(calls, 0), maxCalls))
	return h
}

// Hops returns the hops of the current async context. Loop goroutine only.
func (l *Loop) Hops() Hops {
	h := l.cur.hops
	if s := l.cur.scope; h.calls == nil && s != nil && s.gate == nil && !s.rest { // a scope of one event
		h.calls = &s.calls
	}
	return h
}

// SetHops replaces the hops for the rest of the current context. An event that came from another one begins with it.
// Loop goroutine only.
func (l *Loop) SetHops(h Hops) {
	if h != l.cur.hops {
		f := *l.cur
		f.hops = h
		l.cur = &f
	}
}
