package objectjs

import (
	"errors"
	"time"

	"eddy/durableobject"
	"eddy/durableobject/storage"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
)

type scope = *eventloop.Scope

// gate joins an object's gates to its scope.
type gate struct{ i *instance }

// Enter implements [eventloop.Gate].
func (g gate) Enter(section any, fn func()) {
	s, _ := section.(*durableobject.Section)
	g.i.object.Input.Enter(s, fn)
}

// Output implements [eventloop.Gate]: fn runs in the async context it was given in.
func (g gate) Output(fn func(error)) {
	out := &g.i.object.Output
	if g.i.gone && g.i.failure == nil {
		fn(nil)
		return
	}
	if c := g.i.h.ns.objs.opts.Cluster; c != nil && !g.i.gone && !c.Valid() &&
		(!out.Pending() || c.Each() && !g.i.dirty) { // a commit that is yet to come tells as much
		g.i.release(c, out.Lock())
	}
	if !out.Pending() {
		out.Output(fn)
		return
	}
	within := g.i.h.iso.Loop.Snapshot()
	out.Output(func(err error) { within(func() { fn(err) }) })
}

// release opens a lock of the gate when nobody else can have had the object as it was read: the node may have been away
// for too long.
func (i *instance) release(c Cluster, confirm func(error)) {
	loop := i.h.iso.Loop
	c.Confirm(i.h.ns.key, i.object.ID.String(), func(err error) {
		loop.Post(func() {
			switch {
			case i.gone:
			case err != nil:
				i.reset(rpc.Disconnected().With(func(f *rpc.RemoteError) { f.Reset = true }))
			case !c.Each() && !c.Valid(): // what was said meanwhile waits for the same lock
				i.release(c, confirm)
			default:
				confirm(nil)
				i.settle()
			}
		})
	})
}

// wrote notes that the store has something to commit. The commit comes at the end of the turn, and what the object says
// from now on waits until the commit is durable (GT7, TX7).
func (i *instance) wrote() {
	if i.dirty || i.gone {
		return
	}
	i.dirty = true
	i.confirm = i.object.Output.Lock()
	i.h.iso.Loop.AtTurnEnd(i.finishTurn)
}

// finishTurn commits what the turn wrote. A turn that a limit has ended is undone by the reset that follows.
func (i *instance) finishTurn() {
	if !i.dirty {
		return
	}
	i.dirty = false
	confirm := i.confirm
	i.confirm = nil
	if i.gone || i.scope.Over() {
		return
	}
	if err := i.store.Commit(); err != nil {
		i.reset(storageFailure(err))
		return
	}
	i.syncAlarm()
	i.makeDurable(confirm)
}

// commitLimit is how long the disk may take to make a commit durable (GT7).
const commitLimit = 30 * time.Second

// errSlowCommit is the failure of everything that waits for a commit that took longer than that.
var errSlowCommit = &rpc.RemoteError{Name: "Error",
	Message: "Durable Object storage operation exceeded timeout which caused object to be reset.", Overloaded: true,
	Reset: true}

// makeDurable opens the output gate when everything committed is durable. If the disk takes longer than commitLimit,
// the object is reset: nobody knows whether its writes have survived, and the next instance reads what there is.
func (i *instance) makeDurable(confirm func(error)) {
	if i.h.ns.objs.opts.Durability == storage.Relaxed {
		i.confirmed(confirm, i.store.InPlace())
		return
	}
	loop := i.h.iso.Loop
	release := loop.Clock().Hold("a flush of an object's writes")
	late := loop.Clock().AfterFunc(commitLimit, func() {
		loop.Post(func() { i.reset(errSlowCommit) })
	})
	i.store.Sync(func(err error) {
		late.Stop()
		if !loop.Post(func() {
			defer release()
			i.confirmed(confirm, err)
		}) {
			release()
		}
	})
}

func (i *instance) confirmed(confirm func(error), err error) {
	if i.gone {
		return
	}
	if errors.Is(err, storage.ErrMoved) {
		i.reset(rpc.Disconnected().With(func(f *rpc.RemoteError) { f.Reset = true }))
		return
	}
	if err != nil {
		i.reset(storageFailure(err).With(func(f *rpc.RemoteError) { f.Reset = true }))
		return
	}
	if c := i.h.ns.objs.opts.Cluster; c != nil && !c.Each() && !c.Valid() {
		i.release(c, confirm) // what was only read since the commit waits for the same lock
		return
	}
	confirm(nil)
	i.settle()
}
