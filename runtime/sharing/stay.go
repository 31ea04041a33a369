package sharing

import (
	"context"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/cluster/engine"
)

// whileAt is a context that ends when a shard is no longer at a node, which may be silent and answer never, or with the
// session: what reads an answer of a store may have forgotten it.
func (s *Sharing) whileAt(shard int, node engine.NodeID) (context.Context, context.CancelFunc) {
	c := s.o.Cluster
	return stay{
		there:   func() bool { return c.Place(shard).Node == node },
		lives:   func() bool { return c.Lives(string(node)) },
		changed: c.Changed,
		over:    s.wires.gone,
	}.follow()
}

// stay is that of a shard at a node.
type stay struct {
	there, lives func() bool
	changed      func() <-chan struct{}
	over         <-chan struct{} // nobody looks any more
}

// How long a node may take to answer what has reached it before its shard went away: one that lives, which has handed
// the shard over, and one that is no member any more. That one has left in order and answers, or it was lost and never
// does; then its connection has broken, unless its machine or the network is gone.
const (
	lateTime = 5 * time.Second
	goneTime = 250 * time.Millisecond
)

// follow gives a context that ends some time after the stay. What a node answers meanwhile counts: that it was done, or
// that another node has to do it.
func (s stay) follow() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		var late clock.Timer // nil until the shard goes
		stop := func() {
			if late != nil {
				late.Stop()
			}
		}
		defer stop()
		left := time.Duration(0) // the time that it was given last, 0 while the shard is there
		for ctx.Err() == nil {
			changed := s.changed()
			given := lateTime
			switch {
			case s.there():
				given = 0
			case !s.lives():
				given = goneTime
			}
			switch {
			case given == 0:
				stop()
			case left == 0 || given < left:
				stop()
				late = clock.AfterPatience(clock.Real{}, given, cancel)
			}
			left = given
			select {
			case <-changed:
			case <-s.over:
				cancel()
			case <-ctx.Done():
			}
		}
	}()
	return ctx, cancel
}
