package objectjs

import (
	"context"
	"errors"
	"sync"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/statedir"
	"eddy/runtime/worker"
)

// namespace is one class of one Worker. Any goroutine.
type namespace struct {
	objs *Objects
	key  string

	mu       sync.Mutex
	class    Class // Worker and Name never change
	declared bool
	home     *home
	// changing is set from a detach to the next attach; what comes meanwhile waits. leaving is set while the old home
	// closes. parked are the hibernatable sockets that the next home gets.
	changing, leaving bool
	waiting           []func(*home)
	parked            map[string]*sleeping
	// stuck is set while no isolate will take the place of home, whose script has given it up.
	stuck bool
	// seen is set when alarms of earlier runs have been dealt with.
	seen bool
	// moved is set when a migration gave the objects to another class: that one serves them.
	moved *namespace
}

// notFound is the failure when nobody serves the namespace (CL11).
func (n *namespace) notFound() *rpc.RemoteError {
	f := rpc.Fail(`Worker "` + n.class.Worker + `" not found. Make sure it is running locally.`)
	f.Remote = true
	return f
}

// post runs fn on the loop that serves the namespace, in the order of the calls. It reports false when there is none.
func (n *namespace) post(fn func(*home)) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.moved != nil {
		return n.moved.post(fn)
	}
	if n.changing {
		n.waiting = append(n.waiting, fn)
		return true
	}
	h := n.home
	if h != nil && h.iso.Aborted() { // the isolate that takes its place is on its way
		if n.stuck {
			return false
		}
		n.waiting = append(n.waiting, fn)
		return true
	}
	return h != nil && h.iso.Loop.Post(func() {
		if h.iso.Aborted() && !h.closed {
			n.post(fn)
			return
		}
		fn(h)
	})
}

// abandon resets every object that lives in iso, whose script has given the isolate up. What comes for them from now on
// waits for the isolate that takes its place. On the loop of iso.
func (o *Objects) abandon(iso *worker.Isolate, f *rpc.RemoteError) {
	for _, n := range o.of(iso.Name) {
		n.mu.Lock()
		h := n.home
		n.mu.Unlock()
		if h == nil || h.iso != iso {
			continue
		}
		for _, ob := range h.live.Objects() {
			if inst, ok := ob.Actor.(*instance); ok {
				inst.discard(f)
			}
		}
	}
}

// Stuck says that no isolate takes the place of iso, whose script has given it up: what waits for one fails, and so
// does what comes until the Worker is attached again. Any goroutine.
func (o *Objects) Stuck(iso *worker.Isolate) {
	for _, n := range o.of(iso.Name) {
		n.mu.Lock()
		var waiting []func(*home)
		if n.home != nil && n.home.iso == iso {
			n.stuck = true
			waiting, n.waiting = n.waiting, nil
		}
		n.mu.Unlock()
		for _, fn := range waiting {
			fn(nil)
		}
	}
}

// loop returns the loop that serves the namespace, nil if there is none.
func (n *namespace) loop() *eventloop.Loop {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.moved != nil {
		return n.moved.loop()
	}
	if n.home == nil || n.changing {
		return nil
	}
	return n.home.iso.Loop
}

// attach lets iso serve, in the place of whoever does.
func (n *namespace) attach(ctx context.Context, iso *worker.Isolate) error {
	if err := n.detach(ctx, nil); err != nil {
		return err
	}
	h := newHome(n, iso)
	n.mu.Lock()
	if n.home != nil || n.leaving {
		n.mu.Unlock()
		return errors.New("durable objects: two isolates attach to " + n.key + " at once")
	}
	n.home, n.changing, n.stuck = h, false, false
	h.inherited, n.parked = n.parked, nil
	waiting := n.waiting
	n.waiting = nil
	// This happens under the lock, so that nothing that arrives now overtakes what has waited.
	ok := iso.Loop.Post(h.inherit)
	var refused []func(*home)
	for _, fn := range waiting {
		if !ok || !iso.Loop.Post(func() { fn(h) }) {
			refused = append(refused, fn)
		}
	}
	n.mu.Unlock()
	for _, fn := range refused {
		fn(nil)
	}
	if !ok {
		return eventloop.ErrStopped
	}
	return n.rearm(ctx)
}

// detach ends what iso serves, or whoever serves if iso is nil. The old home gives up its instances and closes its
// storage on its own loop. What comes from now on waits for the next attach, as hibernatable sockets do.
func (n *namespace) detach(ctx context.Context, iso *worker.Isolate) error {
	n.mu.Lock()
	old := n.home
	if old == nil || iso != nil && old.iso != iso {
		n.mu.Unlock()
		return nil
	}
	n.home, n.changing, n.leaving = nil, true, true
	n.mu.Unlock()

	var sockets map[string]*sleeping
	var closeErr error
	err := old.iso.Loop.Do(ctx, func() { sockets, closeErr = old.close() })
	if errors.Is(err, eventloop.ErrStopped) {
		// Its goroutine has ended: nothing else touches what it owned.
		sockets, closeErr = old.close()
		err = nil
	}
	n.mu.Lock()
	n.parked, n.leaving = sockets, false
	n.mu.Unlock()
	return errors.Join(err, closeErr)
}

// end gives up what still waits: the session is over.
func (n *namespace) end() {
	n.mu.Lock()
	n.changing = false
	waiting, parked := n.waiting, n.parked
	n.waiting, n.parked = nil, nil
	n.mu.Unlock()
	for _, fn := range waiting {
		fn(nil)
	}
	for _, s := range parked {
		s.lose()
	}
}

// dir is the folder of the namespace.
func (n *namespace) dir() string { return statedir.Dir(n.objs.opts.Root).Namespace(n.key) }

func (n *namespace) sql() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.class.SQL
}
