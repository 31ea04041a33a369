package rpc

import (
	"slices"
	"sync"

	"eddy/runtime/engine/eventloop"
)

// Answer is the Client behind an RpcPromise. A call on the promise goes to the callee at once and waits there for the
// result that the promise stands for (RPC5).
type Answer struct {
	home *eventloop.Loop
	// scope is the caller's.
	scope *eventloop.Scope
	// distant says that whoever asks is in another process, where a failure that has come home is noticed.
	distant bool

	mu struct {
		sync.Mutex
		queue   []*Op
		deliver func(*Op)
		failure *RemoteError
		// away says that deliver leads to another process, from which a failure may still come home. Then sent, too,
		// fails with it, rather than whenever its own answer comes.
		away bool
		sent []*Op
	}
}

// Send implements [Client].
func (a *Answer) Send(op *Op) {
	a.mu.Lock()
	deliver, failure := a.mu.deliver, a.mu.failure
	switch {
	case failure != nil:
	case deliver == nil:
		a.mu.queue = append(a.mu.queue, op)
	case a.mu.away:
		a.keep(op)
	}
	a.mu.Unlock()
	switch {
	case failure != nil && a.distant:
		op.Fail(failure)
	case failure != nil:
		// The failure has come home already, so what is asked of it now fails on this side.
		op.Fail(failure.With(func(f *RemoteError) { f.Remote = false }))
	case deliver != nil:
		deliver(op)
	}
}

// keep notes an op that goes to another process. mu is held.
func (a *Answer) keep(op *Op) {
	if len(a.mu.sent) == cap(a.mu.sent) {
		a.mu.sent = slices.DeleteFunc(a.mu.sent, (*Op).Over)
	}
	a.mu.sent = append(a.mu.sent, op)
}

// resolve says where ops go from now on: those that wait go to now, in order, and all others to later.
func (a *Answer) resolve(now, later func(*Op)) {
	for {
		a.mu.Lock()
		queue := a.mu.queue
		a.mu.queue = nil
		for _, op := range queue {
			if a.mu.away {
				a.keep(op)
			}
		}
		if len(queue) == 0 {
			if a.mu.failure == nil {
				a.mu.deliver = later
			}
			a.mu.Unlock()
			return
		}
		a.mu.Unlock()
		for _, op := range queue {
			now(op)
		}
	}
}

// over says how the call has ended, f is nil if well. What was asked before and has no result yet fails with the call.
// On the caller's side it is called on the loop, within the turn in which the script gets the result: what fails in
// which order, and what fails on which side, is the same however fast a failure comes (RPC5).
func (a *Answer) over(f *RemoteError) {
	a.mu.Lock()
	if f == nil {
		a.mu.away, a.mu.sent = false, nil
	}
	if f == nil || a.mu.deliver != nil && !a.mu.away || a.mu.failure != nil {
		a.mu.Unlock()
		return
	}
	a.mu.failure = f
	sent, queue := a.mu.sent, a.mu.queue
	a.mu.sent, a.mu.queue = nil, nil
	a.mu.Unlock()
	for _, op := range sent {
		op.Reply(&OpResult{Failure: f}) // its arguments are the other process's
	}
	for _, op := range queue {
		op.Fail(f)
	}
}

// Dup implements [Client]: an Answer lives as long as anybody holds it.
func (a *Answer) Dup() Client { return a }

// Release implements [Client].
func (a *Answer) Release() {}

// Home implements [Client].
func (a *Answer) Home() *eventloop.Loop { return a.home }
