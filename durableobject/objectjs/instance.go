package objectjs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dop251/goja"

	"eddy/durableobject"
	"eddy/durableobject/storage"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
)

// instance is one live object. Loop goroutine only.
type instance struct {
	h      *home
	object *durableobject.Object
	scope  scope
	store  *storage.Store
	named  bool
	// storeID names the file. facets are the children by name. number is the number of this facet, 0 for the object
	// itself; numbers are those of all its facets, and only the object itself has them.
	storeID string
	facets  map[string]*facet
	number  int
	numbers *storage.Facets
	// recordings are of the events in progress.
	recordings []*recording

	value *goja.Object // the user's object
	ctx   *goja.Object
	// caller is the token by which the caller of the last op can make this facet again, nil if it did not say.
	caller   *rpc.Token
	idObject *goja.Object // ctx.id
	// rpc says that the class extends DurableObject (CL1).
	rpc bool
	// failure is why the object was reset, nil if it was not. gone says that the instance is not in memory any more,
	// for whatever reason.
	failure *rpc.RemoteError
	gone    bool
	// title is the name that the object had when it started; it does not change.
	title string
	// work counts events, waitUntil promises and bodies in progress, and open sockets, which held counts alone.
	work, held int
	// pending are events that came before the turn of the constructor was over. They enter one per turn.
	pending []func()
	// waiters are the events that wait, here or at the input gate.
	waiters []*waiter
	// dirty is set while a commit at the end of the turn is due. confirm opens the output gate for that commit.
	dirty   bool
	confirm func(error)
	// fetches are requests in progress, to be failed by a reset.
	fetches map[*fetchEvent]struct{}
	// alarm is the alarm that runs, or waits at the gate; alarmDirty says that the turn changed the stored one.
	alarm      *alarmRun
	alarmDirty bool
	// transactions counts those of storage.transaction that are open.
	transactions int
}

// Sockets implements [durableobject.Actor].
func (i *instance) Sockets() int {
	if s := i.h.sockets[i.object.ID.String()]; s != nil {
		return len(s.list)
	}
	return 0
}

// Computing implements [worker.Computer].
func (i *instance) Computing() string { return "Durable Object " + i.h.ns.key + " " + i.called() }

// Title is what the object is called among the steps of a schedule.
func (i *instance) Title() string { return i.h.ns.class.Name + " " + i.called() }

func (i *instance) called() string {
	if i.title != "" {
		return i.title
	}
	return i.object.ID.String()
}

// start makes the instance of a cold or hibernating object and runs the constructor (CL3). Events enter it from the
// next turn on.
func (h *home) start(o *durableobject.Object) (*instance, *rpc.RemoteError) {
	class, failure := h.class()
	if failure != nil {
		return nil, failure
	}
	if h.lacks(o.ID) {
		return nil, rpc.Disconnected()
	}
	ns, err := h.storage()
	if err != nil {
		return nil, storageFailure(err)
	}
	began := h.now()
	storeID := o.ID.String()
	if h.parent != nil {
		storeID = storage.FacetID(h.parent.root().storeID, h.facet)
	}
	if err := h.beginSession(ns.Store(storeID), o); err != nil {
		return nil, storageFailure(err)
	}
	inst := &instance{h: h, object: o, storeID: storeID, number: h.facet, store: ns.Store(storeID),
		fetches: map[*fetchEvent]struct{}{}}
	inst.title = o.Name
	inst.scope = h.iso.Loop.NewScope(context.Background(), inst, gate{inst})
	inst.scope.OnIdle(inst.settle)
	o.Input = durableobject.InputGate{Defer: func(f func()) { h.iso.Loop.Post(f) }}
	o.Output = durableobject.OutputGate{}
	o.Actor = inst
	h.live.Change(o, durableobject.Arrive, began)
	inst.rpc = h.iso.Extends(class, h.iso.DurableObjectClass())
	if o.HasName {
		inst.setName(o.Name)
	}
	inst.begin()
	inst.limitCPU()
	inst.scope.Run(func() {
		defer inst.cutShort()
		if ex := h.iso.Realm.Try(func() {
			inst.ctx = h.kit.newState(inst)
			// Through Reflect.construct, which unlike Runtime.New runs the microtasks that the constructor leaves.
			v, err := h.kit.construct(goja.Undefined(), class, h.iso.Runtime().NewArray(inst.ctx, h.iso.Env()))
			if err != nil {
				panic(h.iso.Realm.ErrorValue(err))
			}
			inst.value = v.ToObject(h.iso.Runtime())
		}); ex != nil {
			f := h.kit.rpc.Thrown(ex)
			f.Reset = true
			h.iso.Uncaught(ex)
			inst.reset(f)
		}
	})
	if inst.failure != nil {
		return nil, inst.failure
	}
	// Events start when the constructor's turn is over, microtasks included.
	h.iso.Loop.Post(func() {
		if inst.gone {
			return
		}
		h.live.Change(o, durableobject.Constructed, h.now())
		h.ns.objs.note(ObjectActivity{Kind: "start", Namespace: h.ns.key, ID: o.ID.String(), Name: o.Name,
			Took: h.now().Sub(began)})
		inst.open()
		inst.end()
	})
	return inst, nil
}

// open lets in, one per turn, what came while the constructor ran.
func (i *instance) open() {
	for range i.pending {
		i.h.iso.Loop.Post(i.next)
	}
}

// next lets in the first that waits.
func (i *instance) next() {
	if i.gone {
		return
	}
	first := i.pending[0]
	i.pending[0] = nil
	i.pending = i.pending[1:]
	i.admit(first)
}

func (i *instance) setName(name string) {
	i.named = true
	if i.h.parent == nil {
		i.store.SetName(name)
	}
}

// enter runs an event inside the object when its gate lets it. The event must call begin before and end after.
func (i *instance) enter(event fmt.Stringer, fn func()) {
	if i.gone {
		return
	}
	if in := &i.object.Input; i.object.State() == durableobject.Starting || in.Held() || in.Waiting() > 0 ||
		len(i.pending) > 0 {
		fn = i.waits(event, fn)
	}
	switch {
	case i.object.State() == durableobject.Starting:
		i.pending = append(i.pending, fn)
	case len(i.pending) > 0:
		// Behind those that came before it.
		i.pending = append(i.pending, fn)
		i.h.iso.Loop.Post(i.next)
	default:
		i.admit(fn)
	}
}

// admit gives an event to the input gate.
func (i *instance) admit(fn func()) {
	i.limitCPU()
	i.scope.EnterNow(fn)
}

// limitCPU gives the object the CPU time of one more event.
func (i *instance) limitCPU() {
	if i.h.iso.CPULimit() > 0 {
		i.scope.LimitCPU(i.scope.CPU()+i.h.iso.CPULimit(), func() { i.reset(errObjectCPU) })
	}
}

// errObjectCPU is the failure of everything that waits for an object that computed for too long.
var errObjectCPU = &rpc.RemoteError{
	Name: "Error", Message: "Durable Object exceeded its CPU time limit and was reset.", Reset: true,
}

// cutShort is deferred around the constructor. An interrupt unwinds to the end of the turn, so cutShort notes for the
// caller that made the object start why it did not ([home.unstarted]): the CPU limit, the memory limit, or abort, which
// has reset the object already.
func (i *instance) cutShort() {
	x := recover()
	if x == nil {
		return
	}
	in, ok := x.(*goja.InterruptedError)
	switch {
	case !ok:
	case in.Value() == eventloop.ErrMemoryLimit.Error():
		i.Lost(eventloop.ErrMemoryLimit)
	default:
		i.reset(errObjectCPU)
	}
	i.h.cut = i.failure
	panic(x)
}

// begin says that something is in progress.
func (i *instance) begin() {
	if i.h.parent != nil {
		i.h.parent.begin() // a facet at work keeps its parent
	}
	i.work++
	if i.object.State() == durableobject.Idle {
		i.h.live.Change(i.object, durableobject.Arrive, i.h.now())
		i.h.arm()
	}
}

// end undoes one begin. It does nothing on an instance that is gone: leave has given up what was in progress.
func (i *instance) end() {
	if i.gone {
		return
	}
	i.work--
	i.settle()
	if i.h.parent != nil {
		i.h.parent.end()
	}
}

// Hold and Release are begin and end for those who keep a scope's owner alive (sockets).
func (i *instance) Hold() {
	i.holds(1)
	i.begin()
}

// Release undoes one Hold.
func (i *instance) Release() {
	i.holds(-1)
	i.end()
}

// holds counts a socket, as begin and end do: a facet at work keeps its parent.
func (i *instance) holds(n int) {
	for ; i != nil && !i.gone; i = i.h.parent {
		i.held += n
	}
}

// settle makes the object idle when nothing is in progress.
func (i *instance) settle() {
	if i.gone || i.work > 0 || i.scope.Pending() > 0 || i.object.Input.Held() || i.object.Output.Pending() || i.dirty {
		return
	}
	if i.object.State() != durableobject.Running {
		return
	}
	i.h.live.Change(i.object, durableobject.Quiet, i.h.now())
	i.h.arm()
}

// WaitUntil keeps the object until v has settled; a rejection is reported (GT10).
func (i *instance) WaitUntil(v goja.Value) {
	i.begin()
	i.h.iso.Realm.Then(v, func(goja.Value) { i.end() }, func(reason goja.Value) {
		i.h.iso.Uncaught(reason)
		i.end()
	})
}

// leave lets the instance go: its scope ends, uncommitted writes are dropped. f is what callers in progress hear.
func (i *instance) leave(f *rpc.RemoteError) {
	if i.gone {
		return
	}
	i.gone = true
	for _, fa := range i.facets {
		gone := f
		if gone == nil {
			gone = errReloaded
		}
		fa.drop(gone)
	}
	i.store.CloseCursors()
	if err := i.store.Rollback(); err != nil && !errors.Is(err, i.store.Broken()) {
		i.h.iso.Warn("Durable Object storage: " + err.Error())
	}
	if i.store.Broken() != nil {
		i.store.Close()
	} else {
		i.store.Release()
	}
	if s := i.h.sockets[i.object.ID.String()]; s != nil {
		s.forget()
	}
	if c := i.h.containers[i.object.ID.String()]; c != nil && i.h.facetClass == nil {
		c.leave()
	}
	var err error
	if f != nil {
		i.endRecordings(f)
		err = f
		// The scope is closed first: what waits at the gate for the object's own sake is dropped, and its callers hear
		// f.
		i.scope.Close(err)
		i.object.Input.Break(err)
		i.object.Output.Break(err)
		for ev := range i.fetches {
			ev.fail(f.With(func(f *rpc.RemoteError) { f.Remote = true }))
		}
	}
	i.scope.Close(err)
	i.pending = nil
	if i.h.parent != nil {
		i.h.parent.holds(-i.held)
	}
	for ; i.h.parent != nil && i.work > 0; i.work-- {
		i.h.parent.end()
	}
	if i.alarm != nil {
		o := durableobject.AlarmFailed
		switch {
		case exchanged(f) || f == errCrashed:
			o = durableobject.AlarmUndelivered
		case i.alarm.last && i.alarm.started:
			o = durableobject.AlarmDropped
		}
		i.alarm.end(o, err)
	}
}

// reset breaks the object: every call in progress, and every later one through the same stubs, hears f (RPC17, RPC18).
// It does not end a script of the object that is running now; abort does.
func (i *instance) reset(f *rpc.RemoteError) {
	if i.gone {
		return
	}
	i.discard(f)
	i.h.ns.objs.note(ObjectActivity{Kind: "reset", Namespace: i.h.ns.key, ID: i.object.ID.String(), Name: i.object.Name,
		Err: f})
}

// discard is reset without a word to the user.
func (i *instance) discard(f *rpc.RemoteError) {
	i.failure = f
	i.h.live.Change(i.object, durableobject.Reset, i.h.now())
	if s := i.h.sockets[i.object.ID.String()]; s != nil {
		delete(i.h.sockets, i.object.ID.String())
		s.lose()
	}
	i.leave(f)
}

// Lost resets the object whose event ran out of memory or met an error of ours; see [eventloop.Scope].
func (i *instance) Lost(err error) {
	text := err.Error()
	if errors.Is(err, eventloop.ErrMemoryLimit) {
		text = memoryText
	}
	i.reset(&rpc.RemoteError{Name: "Error", Message: text, Reset: true})
}

// sectionLimit is how long a critical section may take (GT6).
const sectionLimit = 30 * time.Second
