package objectjs

import (
	"errors"
	"time"

	"github.com/dop251/goja"

	"eddy/durableobject"
	"eddy/durableobject/storage"
	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
	"eddy/runtime/worker"
)

// home is where a namespace lives for one generation. Loop goroutine of its isolate only.
type home struct {
	ns  *namespace
	iso *worker.Isolate
	kit *kit
	// live are the objects; store is nil until something is stored or read.
	live  *durableobject.Namespace
	store *storage.Namespace
	// sweep is armed while objects idle.
	sweep clock.Timer
	due   time.Time
	// sockets are the hibernatable sockets of objects, by id; see hibernate.go.
	sockets map[string]*sleeping
	// inherited are the sockets taken over from the generation before, until the loop has them.
	inherited map[string]*sleeping
	closed    bool
	// containers are those of objects, by id; see container.go.
	containers map[string]*container
	// touched says that somebody has used the storage since the objects rested last; resting, that they rest.
	touched, resting bool
	// cut is why the constructor that ran last was ended by an interrupt, until somebody is told.
	cut *rpc.RemoteError
	// parent, facet, facetClass and facetID are set for a facet: whose it is, its number, its class, its ctx.id.
	parent     *instance
	facet      int
	facetClass *classStub
	facetID    goja.Value
}

func newHome(n *namespace, iso *worker.Isolate) *home {
	h := &home{ns: n, iso: iso, kit: kitOf(iso), sockets: map[string]*sleeping{}}
	h.live = durableobject.NewNamespace(n.objs.opts.IdleTime, h.dropped)
	return h
}

func (h *home) now() time.Time { return h.iso.Loop.Clock().Now() }

// storage opens the namespace's storage when it is first needed.
func (h *home) storage() (*storage.Namespace, error) {
	h.touched = true
	if h.store != nil {
		return h.store, nil
	}
	o := storage.Options{Durability: h.ns.objs.opts.Durability, Notify: h.warn, Stop: &h.kit.stop,
		Faults: h.ns.objs.opts.faults, Temporary: h.ns.objs.opts.Temporary}
	if c := h.ns.objs.opts.Cluster; c != nil {
		o.Keeper = c.Keeper(h.ns.key)
	}
	if held := h.ns.objs.opts.Held; held != nil {
		o.Held = func() error { return held(h.ns.class.Worker) }
	}
	if !h.ns.sql() {
		o.Limits = h.ns.objs.opts.Limits
	} else if !h.ns.objs.opts.noHistory() {
		o.HistoryDir, o.HistoryKeep, o.Now = statedir.Dir(h.ns.objs.opts.Root).History(h.ns.key),
			h.ns.objs.opts.HistoryKeep, h.now
	}
	s, err := storage.OpenNamespace(h.ns.dir(), o)
	if err != nil {
		return nil, err
	}
	h.store = s
	return s, nil
}

// errQueryTime is the error of a query from outside that took longer than an event may.
var errQueryTime = errors.New("the query exceeded the CPU time limit of an event and was ended")

// bounded runs fn, which belongs to no event, and ends it when it has computed for as long as an event may.
func (h *home) bounded(fn func() error) (err error) {
	over := h.iso.Loop.Bounded(h.iso.CPULimit(), func() { err = fn() }, nil)
	if over && sqlite.Interrupted(err) {
		return errQueryTime
	}
	return err
}

// warn calls the isolate's Warn, from any goroutine.
func (h *home) warn(text string) {
	if !h.iso.Loop.Post(func() { h.iso.Warn(text) }) {
		h.iso.Warn(text) // the loop has ended, so nobody else uses the isolate
	}
}

// instance returns the live instance of an id, and starts it if there is none.
func (h *home) instance(id durableobject.ID, name string, named bool) (*instance, *rpc.RemoteError) {
	o := h.live.Get(id)
	if named && !o.HasName {
		o.Name, o.HasName = name, true
	}
	inst, _ := o.Actor.(*instance)
	if inst == nil {
		var failure *rpc.RemoteError
		if inst, failure = h.start(o); failure != nil {
			return nil, failure
		}
	}
	if named && !inst.named {
		inst.setName(name)
	}
	return inst, nil
}

// unstarted is deferred by a caller that starts an object for somebody who waits. If an interrupt ends the constructor,
// it unwinds the caller as well; then unstarted tells fail why.
func (h *home) unstarted(fail func(*rpc.RemoteError)) {
	if f := h.cut; f != nil {
		h.cut = nil
		fail(f)
	}
}

// class returns the exported class as it is now.
func (h *home) class() (*goja.Object, *rpc.RemoteError) {
	name := h.ns.class.Name
	if h.facetClass != nil {
		name = h.facetClass.Token.Entrypoint
	}
	v, ok := h.iso.Export(name).(*goja.Object)
	if ok {
		if _, isFn := goja.AssertFunction(v); isFn {
			return v, nil
		}
	}
	return nil, rpc.FailType("The Worker exports no class \"" + name + "\" for a Durable Object.")
}

// arm sets the timer of the sweep to the time at which the next object's idle time is over.
func (h *home) arm() {
	due, ok := h.live.Sweep(h.now())
	if !ok {
		if h.sweep != nil {
			h.sweep.Stop()
			h.sweep = nil
		}
		return
	}
	if h.sweep != nil && h.due.Equal(due) {
		return
	}
	if h.sweep != nil {
		h.sweep.Stop()
	}
	h.due = due
	h.sweep = clock.Housekeeping(h.iso.Loop.Clock(), due.Sub(h.now()), func() {
		h.iso.Loop.Post(func() {
			if h.closed {
				return
			}
			h.sweep = nil
			h.arm()
		})
	})
}

// dropped lets the instance of an idle object go (GT9).
func (h *home) dropped(o *durableobject.Object) {
	inst := o.Actor.(*instance)
	kind := "evict"
	if o.State() == durableobject.Hibernating {
		kind = "hibernate"
	}
	inst.leave(nil)
	o.Actor = nil
	o.Input, o.Output = durableobject.InputGate{}, durableobject.OutputGate{}
	h.ns.objs.note(ObjectActivity{Kind: kind, Namespace: h.ns.key, ID: o.ID.String(), Name: o.Name})
}

// errReloaded is the failure of calls in progress when a reload exchanges the code.
var errReloaded = &rpc.RemoteError{
	Name: "TypeError", Message: "Durable Object reset because its code was updated.", Reset: true, Remote: true,
}

// errOutgrown is their failure when the code is exchanged because its isolate has run out of memory.
var errOutgrown = &rpc.RemoteError{Name: "Error", Message: memoryText, Reset: true, Remote: true}

// memoryText is what callers hear of an object whose isolate ran out of memory.
const memoryText = "Durable Object's isolate exceeded its memory limit and was reset."

// exchanged tells whether f is the failure of calls in progress when the code is exchanged.
func exchanged(f *rpc.RemoteError) bool { return f == errReloaded || f == errOutgrown }

// close gives up every instance and closes the storage. It returns the hibernatable sockets for the next generation.
func (h *home) close() (map[string]*sleeping, error) {
	if h.closed {
		return nil, nil
	}
	h.closed = true
	if h.sweep != nil {
		h.sweep.Stop()
	}
	for _, s := range h.sockets {
		s.remember()
	}
	why := errReloaded
	if errors.Is(h.iso.LostTo(), eventloop.ErrMemoryLimit) {
		why = errOutgrown
	}
	for _, o := range h.live.Objects() {
		if inst, ok := o.Actor.(*instance); ok {
			inst.finishTurn()
			inst.leave(why)
		}
	}
	for _, c := range h.containers {
		c.leave() // also those whose objects are not in memory
	}
	sockets := h.sockets
	h.sockets = nil
	for _, s := range sockets {
		s.leave()
	}
	var err error
	if h.store != nil {
		err = h.store.Close()
	}
	return sockets, err
}

// storageFailure is what callers hear when the storage fails; a broken store means a reset.
func storageFailure(err error) *rpc.RemoteError {
	var broken *storage.BrokenError
	f := rpc.Fail(err.Error())
	if errors.As(err, &broken) {
		f.Reset, f.Retryable = true, broken.Passing()
	}
	return f
}
