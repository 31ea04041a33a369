package eventloop

import "slices"

// A scope is stalled when nothing can ever make it go on: its loop has no turn left to run, and no scope without a gate
// has a ticket, a timer or an open door. Promises of one scope may be settled by another one of the same isolate, so
// one scope that is busy keeps all others from counting as stalled. Scopes with a gate (Durable Objects) neither stall
// nor count as busy: their sockets and intervals may live for ever, and their events may settle each other's promises.

// Stallable is told that its scope is stalled.
type Stallable interface{ Stalled() }

// OnStall calls o.Stalled on the loop, in a turn of its own and at most once, when the scope is stalled. Only for
// scopes without a gate. Loop goroutine only.
func (s *Scope) OnStall(o Stallable) {
	if s.closed {
		return
	}
	if s.loop.stallable == nil {
		s.loop.stallable = map[*Scope]Stallable{}
	}
	s.loop.stallable[s] = o
}

// Open says that somebody outside the isolate may still come into the scope (the reader of a response body, the peer of
// a WebSocket, the holder of a stub), although no work of the scope is out. The scope is not stalled until the function
// that Open returns has been called. Loop goroutine only.
func (s *Scope) Open() (shut func()) {
	s.open++
	s.addBusy(1)
	once := false
	return func() {
		if !once {
			once = true
			s.open--
			s.addBusy(-1)
		}
	}
}

// addBusy counts what is out in the scope for its loop.
func (s *Scope) addBusy(n int) {
	if s.gate == nil && !s.closed {
		s.loop.busy += n
	}
}

// forgetStall takes a scope that has been closed out of the account: what it had out is dropped when it comes back.
func (s *Scope) forgetStall() {
	delete(s.loop.stallable, s)
	if s.gate == nil {
		s.loop.busy -= s.pending + s.open
	}
}

// stalled returns the callbacks of the scopes that are stalled now, in the order in which the scopes were made. Each is
// told once.
func (l *Loop) stalled() []func() {
	scopes := make([]*Scope, 0, len(l.stallable))
	for s := range l.stallable {
		scopes = append(scopes, s)
	}
	slices.SortFunc(scopes, func(a, b *Scope) int { return int(a.seq) - int(b.seq) })
	calls := make([]func(), len(scopes))
	for i, s := range scopes {
		calls[i] = l.stallable[s].Stalled
	}
	clear(l.stallable)
	return calls
}
