package rpc

import (
	"sync"
	"sync/atomic"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
)

// Client is what a stub points at.
type Client interface {
	// Send delivers an op and returns at once. It is called on the loop the op comes from. Ops that one loop sends to
	// one Client arrive in the order of the sending (RPC2). The op gets exactly one result, whatever happens.
	Send(op *Op)
	// Dup gives another reference to the same target.
	Dup() Client
	// Release gives this reference back. With the last one the target is told that nobody needs it any more.
	Release()
	// Home is the loop that serves, nil if it is not known. If it is the caller's own loop, primitive values go there
	// without being encoded.
	Home() *eventloop.Loop
}

// Op is one call, or one reading of a property.
type Op struct {
	// Path names what is called or read, from the target on. Empty means the target itself.
	Path []string
	// Get says that the property is read, not called.
	Get bool
	// Extra says that the caller may send events of the platform's own kinds: it has the flag [ExtraFlag].
	Extra bool
	// Again, if set, says that the target's [restore]() method makes a stub again; Path is empty then, and the
	// arguments are its parameters as ctx.props are encoded. Stored says that they come from storage.
	Again  Again
	Stored bool
	// Self is the token by which the target of the op can be made again, nil if the op does not know.
	Self *Token
	// Hops are the caller's.
	Hops eventloop.Hops
	// Where is the place in the caller's script.
	Where clock.Origin
	from  *Kit
	// encoded says that the result leaves the process, so that even a primitive is encoded.
	encoded bool
	values  []goja.Value // arguments, if all are primitive
	msg     *Parcel      // else
	answer  *Answer
	reply   func(*OpResult)
	// replying is held while the result is handed on: whoever comes second goes on when the first has done it, so that
	// what fails after this op is not heard of before it.
	replying sync.Mutex
	over     atomic.Bool
	failed   atomic.Bool
}

// Reply gives the result. Only the first counts; the handles of others are released. Any goroutine.
func (op *Op) Reply(r *OpResult) {
	op.replying.Lock()
	first := !op.over.Load()
	if first {
		op.failed.Store(r.Failure != nil)
		op.reply(r)
		op.over.Store(true)
	}
	op.replying.Unlock()
	if !first {
		r.release()
	}
}

// Failed tells whether the op has its result, and that is a failure. Any goroutine.
func (op *Op) Failed() bool { return op.failed.Load() }

// Fail replies with a failure, and releases the arguments.
func (op *Op) Fail(f *RemoteError) {
	if op.msg != nil {
		op.msg.release()
		op.msg = nil
	}
	op.Reply(&OpResult{Failure: f})
}

// Over tells whether the op has its result.
func (op *Op) Over() bool { return op.over.Load() }

// OpResult is the outcome of an op.
type OpResult struct {
	// Failure is set if it failed.
	Failure *RemoteError
	value   goja.Value // a primitive value
	service *Fetcher   // the stub that was made again, if it stays in its isolate
	msg     *Parcel    // any other
}

func (r *OpResult) release() {
	if r.msg != nil {
		r.msg.release()
	}
}

// primitive tells whether v needs no encoding.
func primitive(v goja.Value) bool {
	switch v.(type) {
	case *goja.Object, *goja.Symbol:
		return false
	}
	return true
}

// maxDirect is the length of strings above which even primitives are encoded, so that RPC12's limit holds for them.
const maxDirect = 1 << 20

// small tells whether values are primitive and short.
func small(vs []goja.Value) bool {
	for _, v := range vs {
		if !primitive(v) {
			return false
		}
		if s, ok := v.(goja.String); ok && s.Length() > maxDirect {
			return false
		}
	}
	return true
}

// Broken is a Client whose every op fails.
type Broken struct{ Failure *RemoteError }

// Send implements [Client].
func (b Broken) Send(op *Op) { op.Fail(b.Failure) }

// Dup implements [Client].
func (b Broken) Dup() Client { return b }

// Release implements [Client].
func (b Broken) Release() {}

// Home implements [Client].
func (b Broken) Home() *eventloop.Loop { return nil }
