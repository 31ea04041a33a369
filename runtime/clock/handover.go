package clock

import "sync"

// Handover is the hold of whoever works at one end of something that two parts of this process share (a pipe, a call
// of another loop), and now and then waits for the other end. Time stands still while it works, and goes on while it
// waits. Whoever ends the wait says so before it wakes the waiter: no moment is between the two at which nobody holds
// the clock. One goroutine waits at a time. Who does not attend holds nothing. Make one with [NewHandover].
type Handover struct {
	clock  Clock
	reason string

	mu       sync.Mutex
	attended int    // how often; guarded by mu, as is all below
	waits    bool   // between Wait and Resume
	release  func() // of the hold, nil while there is none
}

// NewHandover returns one that nobody attends. reason is what [Clock.Hold] gets.
func NewHandover(c Clock, reason string) *Handover { return &Handover{clock: c, reason: reason} }

// Attend holds the clock but for the waits, until leave is called. Call it while something else still holds the clock,
// and leave when something else does again. Only the first call of leave counts.
func (h *Handover) Attend() (leave func()) {
	h.set(func() { h.attended++ })
	return sync.OnceFunc(func() { h.set(func() { h.attended-- }) })
}

// Wait says that the end is about to wait for the other one.
func (h *Handover) Wait() { h.set(func() { h.waits = true }) }

// Resume says that the end waits no more. The one that ends the wait calls it, before the waiter wakes.
func (h *Handover) Resume() { h.set(func() { h.waits = false }) }

// set changes the state and then takes or gives back the hold that belongs to it.
func (h *Handover) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
	switch holds := h.attended > 0 && !h.waits; {
	case holds && h.release == nil:
		h.release = h.clock.Hold(h.reason)
	case !holds && h.release != nil:
		h.release()
		h.release = nil
	}
}

// Attended is what has a [Handover]: a pipe to another part of this process. Whoever calls it off a loop attends it
// before the loop's turn ends, and leaves when the call has come back to the loop.
type Attended interface {
	// Attend is [Handover.Attend].
	Attend() (leave func())
}

// Attend attends x if it is [Attended]; leave is never nil.
func Attend(x any) (leave func()) {
	if a, ok := x.(Attended); ok {
		return a.Attend()
	}
	return func() {}
}
