package worker

import (
	"sync/atomic"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
)

// IsolateAbortedError is why everything in an isolate was given up: its script called abortIsolate() of
// cloudflare:workers (BIND-160).
type IsolateAbortedError struct{ Reason string }

// Error implements error.
func (e *IsolateAbortedError) Error() string {
	if e.Reason == "" {
		return "The Worker called abortIsolate()."
	}
	return "The Worker called abortIsolate(): " + e.Reason
}

// Is makes callers in other isolates see what they see of an isolate that has stopped: a lost connection.
func (e *IsolateAbortedError) Is(target error) bool { return target == eventloop.ErrStopped }

// aborting is the state of an isolate whose script may give it up.
type aborting struct {
	// done is read by any goroutine: nothing may begin in the isolate any more.
	done atomic.Bool
	// told are called on the loop with what callers of anything in the isolate hear.
	told []func(failure *rpc.RemoteError)
}

// OnIsolateAbort registers fn for what lives in the isolate beside its invocations. It is called on the loop. Only
// before the script runs.
func (iso *Isolate) OnIsolateAbort(fn func(failure *rpc.RemoteError)) {
	iso.aborting.told = append(iso.aborting.told, fn)
}

// Aborted tells whether the script has called abortIsolate(): no event may begin here any more. Any goroutine.
func (iso *Isolate) Aborted() bool { return iso.aborting.done.Load() }

// abortIsolate ends the script at once, whatever it catches, and with it every event of the isolate. Whoever runs the
// Worker is told to start it anew. At the top level it ends the start.
func (iso *Isolate) abortIsolate(fc goja.FunctionCall) goja.Value {
	err := &IsolateAbortedError{}
	if v := fc.Argument(0); !goja.IsUndefined(v) {
		err.Reason = webidl.ToString(v)
	}
	if !iso.aborting.done.Swap(true) {
		iso.AbortOthers(nil, err)
		for _, fn := range iso.aborting.told {
			fn(rpc.Disconnected())
		}
		iso.lost(nil, err)
	}
	iso.Loop.Interrupt(err.Error())
	// Thrown here and now: a script that ended before it met the interrupt would leave it to the next.
	panic(new(goja.InterruptedError))
}
