package rpc

import (
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
		// away says that deliver leads to another process, from which a failure may still come home.
		away bool
	}
}

// Send implements [Client].
func (a *Answer) Send(op *Op) {
	a.mu.Lock()
	deliver, failure := a.mu.deliver, a.mu.failure
	if deliver == nil && failure == nil {
		a.mu.queue = append(a.mu.queue, op)
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

// resolve says where ops go from now on: those that wait go to now, in order, and all others to later.
func (a *Answer) resolve(now, later func(*Op)) {
	for {
		a.mu.Lock()
		queue := a.mu.queue
		a.mu.queue = nil
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

// fail ends the wait; after resolve it does nothing.
func (a *Answer) fail(f *RemoteError) {
	a.mu.Lock()
	if a.mu.deliver != nil && !a.mu.away || a.mu.failure != nil {
		a.mu.Unlock()
		return
	}
	a.mu.failure = f
	queue := a.mu.queue
	a.mu.queue = nil
	a.mu.Unlock()
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
