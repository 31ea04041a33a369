package eventloop

// Hops says through how many Workers and objects an event has come. It belongs to the async context. What an event
// causes by calling others is one deeper, however much later it calls; timers, alarms and messages begin at zero.
type Hops struct{ objects, workers uint8 }

// HopsText is production's text for a call that would be too deep.
const HopsText = "Subrequest depth limit exceeded. This request recursed through Workers too many times. This can " +
	"happen e.g. if you have a Worker or Durable Object that calls other Workers or objects recursively."

// Limits of production: 16 objects below each other, the first Worker counted as one, and 32 Workers between two of
// them.
const maxObjects, maxWorkers = 16, 32

// Worker returns the hops of an event that is sent to a Worker now. It reports false if that is too deep.
func (h Hops) Worker() (Hops, bool) {
	h.workers++
	return h, h.workers < maxWorkers
}

// Object returns the hops of an event that is sent to an object now. It reports false if that is too deep.
func (h Hops) Object() (Hops, bool) {
	return Hops{objects: h.objects + 1}, h.objects+1 < maxObjects
}

// Hops returns the hops of the current async context. Loop goroutine only.
func (l *Loop) Hops() Hops { return l.cur.hops }

// SetHops replaces the hops for the rest of the current context. An event that came from another one begins with it.
// Loop goroutine only.
func (l *Loop) SetHops(h Hops) {
	if h != l.cur.hops {
		f := *l.cur
		f.hops = h
		l.cur = &f
	}
}
