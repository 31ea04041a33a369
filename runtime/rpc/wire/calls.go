package wire

import (
	"runtime"

	"eddy/runtime/cause"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
)

// Proxy is the Client of something on the other side.
type Proxy struct {
	w  *Wire
	to place
	// shared is nil for what needs no release: entries by name.
	shared *shared
}

// Entry is the Client of an entrypoint on the other side.
func (w *Wire) Entry(e Entry) *Proxy { return &Proxy{w: w, to: place{what: toEntry, entry: e}} }

// Object is the Client of what Options.Open of the other side makes of a name. All that goes through it goes to one
// Client there.
func (w *Wire) Object(name []byte) *Proxy {
	w.mu.Lock()
	id := w.number()
	w.mu.Unlock()
	w.out.put(&frame{kind: kindOpen, id: id, data: name})
	return &Proxy{w: w, to: place{what: toOpened, id: id}, shared: newShared(w, kindClose, id)}
}

// Send implements [rpc.Client].
func (p *Proxy) Send(op *rpc.Op) { p.w.call(p.to, op) }

// Dup implements [rpc.Client].
func (p *Proxy) Dup() rpc.Client {
	if p.shared != nil {
		p.shared.refs.Add(1)
	}
	return p
}

// Release implements [rpc.Client].
func (p *Proxy) Release() {
	if p.shared != nil && p.shared.refs.Add(-1) == 0 {
		p.shared.w.out.put(&frame{kind: p.shared.kind, id: p.shared.id})
	}
}

// Home implements [rpc.Client]: it is in another process.
func (p *Proxy) Home() *eventloop.Loop { return nil }

// call sends an op.
func (w *Wire) call(to place, op *rpc.Op) {
	objects, workers, calls := op.Hops.Depth()
	f := &frame{kind: kindCall, to: to, path: op.Path,
		hops: hops{objects, workers, uint64(calls), op.Hops.Cause.String()}}
	if op.Get {
		f.flags |= flagGet
	}
	if op.Extra {
		f.flags |= flagExtra
	}
	switch op.Again {
	case rpc.AgainService:
		f.flags |= flagService
	case rpc.AgainStub:
		f.flags |= flagStub
	}
	if op.Stored {
		f.flags |= flagStored
	}
	arguments, then := op.Unload(), func() {}
	w.mu.Lock()
	if w.ended != nil {
		failure := w.ended
		w.mu.Unlock()
		arguments.Drop()
		op.Fail(failure)
		return
	}
	if arguments != nil {
		f.flags |= flagArguments
		f.cargo, then = w.pack(arguments)
	}
	f.id = w.number()
	w.calls[f.id] = op
	w.out.put(f) // under mu: whoever is given a number later comes later on the wire
	w.mu.Unlock()
	then()
	answer := op.Pipelined()
	if answer == nil {
		w.out.put(&frame{kind: kindForget, id: f.id})
		return
	}
	id := f.id
	runtime.AddCleanup(answer, func(w *Wire) { w.out.put(&frame{kind: kindForget, id: id}) }, w)
	answer.Redirect(func(op *rpc.Op) { w.call(place{what: toResult, id: id}, op) })
}

// arrived serves a call of the other side.
func (w *Wire) arrived(f *frame) error {
	a := rpc.Arrival{
		Path: f.path, Get: f.flags&flagGet != 0, Extra: f.flags&flagExtra != 0,
		Hops: eventloop.Deep(f.hops.objects, f.hops.workers, int32(min(f.hops.calls, 1<<30)),
			cause.Parse(f.hops.cause)),
		Reply: func(failure *rpc.RemoteError, result *rpc.Cargo) { w.reply(f.id, failure, result) },
	}
	switch {
	case f.flags&flagService != 0:
		a.Again = rpc.AgainService
	case f.flags&flagStub != 0:
		a.Again = rpc.AgainStub
	}
	a.Stored = f.flags&flagStored != 0
	if f.cargo != nil {
		var err error
		if a.Arguments, err = w.unpackCall(f.cargo); err != nil {
			return err
		}
	}
	op, answer := a.Op()
	w.mu.Lock()
	if w.ended != nil {
		w.mu.Unlock()
		op.Fail(rpc.Disconnected())
		return nil
	}
	if w.answers[f.id] != nil {
		w.mu.Unlock()
		return errFrame
	}
	w.answers[f.id] = answer
	w.mu.Unlock()
	to := w.find(f.to)
	if to == nil {
		// The other side has released it, and calls it nevertheless.
		op.Fail(rpc.Disconnected())
		return nil
	}
	to.Send(op)
	return nil
}

// find is what a call of the other side is sent to, nil if there is no such thing.
func (w *Wire) find(to place) rpc.Client {
	if to.what == toEntry {
		return w.o.Entry(to.entry)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var c rpc.Client
	switch to.what {
	case toExport:
		c = w.exports[to.id]
	case toOpened:
		c = w.opened[to.id]
	case toResult:
		if a := w.answers[to.id]; a != nil {
			c = a
		}
	}
	return c
}

// reply sends the result of a call of the other side.
func (w *Wire) reply(id uint64, failure *rpc.RemoteError, result *rpc.Cargo) {
	f := &frame{kind: kindResult, id: id, failure: failureOf(failure)}
	then := func() {}
	w.mu.Lock()
	if w.ended != nil {
		w.mu.Unlock()
		result.Drop()
		return
	}
	if failure == nil {
		f.cargo, then = w.pack(result)
	}
	w.out.put(f)
	w.mu.Unlock()
	then()
}

// answered gives a call of this side its result.
func (w *Wire) answered(f *frame) error {
	w.mu.Lock()
	op := w.calls[f.id]
	delete(w.calls, f.id)
	w.mu.Unlock()
	if op == nil {
		return errFrame
	}
	if f.failure != nil {
		op.ReplyWith(f.failure.remote(), nil)
		return nil
	}
	result, err := w.unpackCall(f.cargo)
	if err != nil {
		op.Fail(rpc.Disconnected())
		return err
	}
	op.ReplyWith(nil, result)
	return nil
}

// open makes the entry of an object.
func (w *Wire) open(f *frame) error {
	c := w.o.Open(f.data)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return nil
	}
	if w.opened[f.id] != nil {
		return errFrame
	}
	w.opened[f.id] = c
	return nil
}

// shut takes an entry away.
func (w *Wire) shut(id uint64) error {
	w.mu.Lock()
	c := w.opened[id]
	delete(w.opened, id)
	w.mu.Unlock()
	if c != nil {
		c.Release()
	}
	return nil
}

// released gives an export back.
func (w *Wire) released(id uint64) error {
	w.mu.Lock()
	c := w.exports[id]
	delete(w.exports, id)
	w.mu.Unlock()
	if c == nil {
		return errFrame
	}
	c.Release()
	return nil
}
