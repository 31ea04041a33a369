package rpc

import (
	"io"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/webapi/streams"
)

// Cargo is a [Parcel] taken apart, so that it can leave the process. Whoever has it owns what is in it, and must hand
// it on or [Cargo.Drop] it.
type Cargo struct {
	// Data is a structured clone. It names Goods by their place in the list.
	Data  []byte
	Goods []Good
	// Dispose is called when the receiver disposes the value, nil if there is nothing to tell.
	Dispose func()
}

// Good is what bytes cannot carry. Exactly one of Client, Reader, Sink and Trigger is set.
type Good struct {
	Client Client
	// Reader is the contents of a ReadableStream of Length bytes, -1 if that is unknown.
	Reader io.ReadCloser
	Length int64
	// Sink takes what is written to a WritableStream. A Sink that waits for somebody else is a [streams.Patient].
	Sink streams.Sink
	// Trigger is an AbortSignal's.
	Trigger *AbortTrigger
}

// drop implements handle.
func (g Good) drop() {
	switch {
	case g.Client != nil:
		g.Client.Release()
	case g.Reader != nil:
		go g.Reader.Close()
	case g.Sink != nil:
		go g.Sink.Abort(nil)
	}
}

// Drop gives everything in it back, because nobody receives it. c may be nil.
func (c *Cargo) Drop() {
	if c != nil {
		c.parcel().release()
	}
}

func (c *Cargo) parcel() *Parcel {
	m := &Parcel{data: c.Data, disposer: c.Dispose}
	for _, g := range c.Goods {
		m.handles = append(m.handles, g)
	}
	return m
}

// unload takes a parcel apart; nil stays nil.
func (m *Parcel) unload() *Cargo {
	if m == nil {
		return nil
	}
	m.once.Do(func() {})
	c := &Cargo{Data: m.data, Dispose: m.disposer}
	for _, h := range m.handles {
		c.Goods = append(c.Goods, goodOf(h))
	}
	return c
}

// goodOf turns what this package makes of values into a Good.
func goodOf(h handle) Good {
	switch h := h.(type) {
	case clientHandle:
		return Good{Client: h.c}
	case *readable:
		return Good{Reader: h.r, Length: h.length}
	case *writable:
		return Good{Sink: h}
	case *AbortTrigger:
		return Good{Trigger: h}
	}
	return h.(Good)
}

// Unload takes the arguments out of an op whose Client is in another process; nil if there are none.
func (op *Op) Unload() *Cargo {
	m := op.msg
	op.msg = nil
	return m.unload()
}

// Pipelined is the Client of the op's result while nobody has it (RPC5); nil if nothing can be pipelined.
func (op *Op) Pipelined() *Answer { return op.answer }

// Redirect sends what is asked of the result to f, which leads to another process, until a failure has come home. It
// begins with what was asked before, in its order.
func (a *Answer) Redirect(f func(*Op)) {
	a.mu.Lock()
	a.mu.away = true
	a.mu.Unlock()
	a.resolve(f, f)
}

// Arrival is an op that came from another process.
type Arrival struct {
	Path       []string
	Get, Extra bool
	// Again and Stored are the op's.
	Again  Again
	Stored bool
	Hops   eventloop.Hops
	// Arguments are nil if there are none.
	Arguments *Cargo
	// Reply gets the result once; what is in it is Reply's from then on. Any goroutine.
	Reply func(failure *RemoteError, result *Cargo)
}

// Op makes the op, and the Client to which whatever is asked of its result goes.
func (a Arrival) Op() (*Op, *Answer) {
	op := &Op{Path: a.Path, Get: a.Get, Extra: a.Extra, Again: a.Again, Stored: a.Stored,
		Hops: a.Hops, answer: &Answer{distant: true}, encoded: true}
	if a.Arguments != nil {
		op.msg = a.Arguments.parcel()
	}
	op.reply = func(r *OpResult) {
		a.Reply(r.Failure, r.msg.unload())
		op.answer.over(r.Failure)
	}
	return op, op.answer
}

// ReplyWith gives an op the result that came from another process.
func (op *Op) ReplyWith(failure *RemoteError, result *Cargo) {
	r := &OpResult{Failure: failure}
	if result != nil {
		r.msg = result.parcel()
	}
	op.Reply(r)
}
