package objectjs

import (
	"context"
	"errors"
	"time"

	"eddy/durableobject"
	"eddy/durableobject/storage"
	"eddy/runtime/rpc"
)

// Cluster says which objects are on this node, and keeps what they store. key is the unique key of a namespace. Any
// goroutine.
type Cluster interface {
	// Here tells whether an object is on this node.
	Here(key, id string) bool
	// Present tells whether an object is on this node and its file is there: Bring would call done at once.
	Present(key, id string) bool
	// Bring calls done when the object's file is at path, at once if it is. An error says why not.
	Bring(key, id, path string, done func(error))
	// Keeper keeps what the objects of a namespace commit.
	Keeper(key string) storage.Keeper
	// Valid tells whether what was read may be told. If it may not, Confirm says when, or that the object is lost.
	Valid() bool
	// Each tells whether each thing that an object says needs a Confirm of its own, which is called after all was read
	// that it is made of. Then Valid is false.
	Each() bool
	Confirm(key, id string, done func(error))
}

// bring is post for an object: its file is here before fn runs. It reports false if the object is elsewhere, or nobody
// serves the namespace.
func (n *namespace) bring(id durableobject.ID, fn func(*home)) bool {
	c := n.objs.opts.Cluster
	if c == nil {
		return n.post(fn)
	}
	name := id.String()
	present := c.Present(n.key, name) // so it is for almost all events
	if !present && !c.Here(n.key, name) {
		return false
	}
	if n.loop() == nil && !n.waits() {
		fn(nil) // its Worker does not run
		return true
	}
	if present {
		if !n.post(fn) {
			fn(nil)
		}
		return true
	}
	c.Bring(n.key, name, storage.ObjectFile(n.dir(), name), func(err error) {
		if err == nil && n.post(fn) {
			return
		}
		if err != nil && !errors.Is(err, storage.ErrMoved) {
			n.objs.note(ObjectActivity{Kind: "reset", Namespace: n.key, ID: id.String(), Err: err})
		}
		fn(nil)
	})
	return true
}

// absent is the failure of an event that found no home.
func (n *namespace) absent() *rpc.RemoteError {
	if n.objs.opts.Cluster != nil {
		return rpc.Disconnected()
	}
	return errReloaded
}

// waits tells whether what comes for the namespace waits for the isolate that serves it next.
func (n *namespace) waits() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changing
}

// lacks tells whether an object is another node's: an event that has come this far must not start it.
func (h *home) lacks(id durableobject.ID) bool {
	c := h.ns.objs.opts.Cluster
	return c != nil && !c.Here(h.ns.key, id.String())
}

// Arm sets the alarm of an object that has come to this node.
func (o *Objects) Arm(key, id string, at time.Time) {
	if parsed, err := durableobject.ParseID(key, id); err == nil {
		o.alarms.Set(durableobject.AlarmKey{Namespace: key, ID: parsed}, at)
	}
}

// releasePause is the time between two looks whether objects that go to another node have finished.
const releasePause = 10 * time.Millisecond

// Release gives up the objects for which match is true, because another node has them or will: their alarms are
// dropped, what is in progress after patience fails with a lost connection, and their files are removed. It waits until
// that is done. Not on a loop goroutine.
func (o *Objects) Release(match func(key, id string) bool, patience time.Duration) {
	drop := func() {
		o.alarms.Drop(func(key durableobject.AlarmKey) bool { return match(key.Namespace, key.ID.String()) })
	}
	drop()
	defer drop() // what an object's last turn has set
	o.mu.Lock()
	list := make([]*namespace, 0, len(o.mu.namespaces))
	for _, n := range o.mu.namespaces {
		list = append(list, n)
	}
	o.mu.Unlock()
	within := func(n *namespace) func(id string) bool { return func(id string) bool { return match(n.key, id) } }
	deadline := time.Now().Add(patience)
	for _, n := range list {
		for time.Now().Before(deadline) && n.busy(within(n)) {
			<-time.After(releasePause)
		}
	}
	for _, n := range list {
		n.release(within(n))
	}
}

// within runs fn on the loop that serves the namespace and waits for it. It reports false if none does.
func (n *namespace) within(fn func(h *home)) bool {
	n.mu.Lock()
	h := n.home
	n.mu.Unlock()
	if h == nil {
		return false
	}
	return h.iso.Loop.Do(context.Background(), func() { fn(h) }) == nil
}

// busy tells whether an object for which match is true has something in progress.
func (n *namespace) busy(match func(id string) bool) (busy bool) {
	n.within(func(h *home) {
		for _, ob := range h.live.Objects() {
			if inst, ok := ob.Actor.(*instance); ok && match(ob.ID.String()) {
				busy = busy || inst.busy()
			}
		}
	})
	return busy
}

// busy tells whether the object, or a facet of it, has something in progress that may end by itself. Sockets do not.
func (i *instance) busy() bool {
	if i.work > i.held || i.object.Output.Pending() {
		return true
	}
	for _, f := range i.facets {
		if f.home == nil {
			continue
		}
		for _, ob := range f.home.live.Objects() {
			if inst, ok := ob.Actor.(*instance); ok && inst.busy() {
				return true
			}
		}
	}
	return false
}

// release gives up the objects of the namespace for which match is true. If its isolate is being replaced, or has
// ended, nothing is done: the next one finds the files of objects that are not here, and Bring makes them anew before
// they are used again.
func (n *namespace) release(match func(id string) bool) {
	n.within(func(h *home) {
		if h.closed {
			return
		}
		for _, ob := range h.live.Objects() {
			if !match(ob.ID.String()) {
				continue
			}
			if inst, ok := ob.Actor.(*instance); ok {
				for _, f := range inst.facets {
					f.commit()
				}
				inst.finishTurn()
				inst.discard(rpc.Disconnected().With(func(f *rpc.RemoteError) { f.Reset = true }))
				continue
			}
			if s := h.sockets[ob.ID.String()]; s != nil {
				delete(h.sockets, ob.ID.String())
				s.lose()
			}
		}
		if h.store == nil {
			return
		}
		if err := h.store.Forget(match); err != nil {
			h.iso.Warn("Durable Objects that went to another node: " + err.Error())
		}
	})
}
