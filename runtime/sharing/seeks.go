package sharing

import (
	"context"
	"sync"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/rpc/wire"
)

// seeks are the objects of a cluster that are looked for. What comes for one of them meanwhile waits, in order, through
// whichever stub it comes (RPC2).
type seeks struct {
	mu sync.Mutex
	of map[string]*seek // guarded by mu
}

// seek is what waits for one object; guarded by the mutex of seeks.
type seek struct{ waiting []func(place) }

// place is where an object is: on this node, on the other side of a wire, or nowhere that could be found in time.
type place struct {
	here bool
	over *wire.Wire
}

// with calls do with the place of the object k: at once if known gives one and nothing waits for it already, otherwise
// after find has given it.
func (s *seeks) with(k string, known func() place, find func(context.Context) place, do func(place)) {
	s.mu.Lock()
	sk := s.of[k]
	if sk == nil {
		if at := known(); at.over != nil {
			s.mu.Unlock()
			do(at)
			return
		}
		sk = &seek{}
		if s.of == nil {
			s.of = map[string]*seek{}
		}
		s.of[k] = sk
		go s.deliver(k, sk, find)
	}
	sk.waiting = append(sk.waiting, do)
	s.mu.Unlock()
}

const (
	// placeTime is how long a call waits for its object or store to be somewhere: longer than a lease and a takeover.
	placeTime = 15 * time.Second
	lookPause = 50 * time.Millisecond
)

// deliver finds the object and sends what waits.
func (s *seeks) deliver(k string, sk *seek, find func(context.Context) place) {
	ctx, cancel := clock.WithPatience(context.Background(), placeTime)
	defer cancel()
	at := find(ctx)
	for {
		s.mu.Lock()
		list := sk.waiting
		sk.waiting = nil
		if len(list) == 0 {
			delete(s.of, k)
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		for _, do := range list {
			do(at)
		}
	}
}
