package worker

import (
	"context"

	"github.com/dop251/goja"

	"eddy/runtime/webapi/sockets"
)

// NoConnectHandler is the text of a connection to a script that takes none (BIND-163).
const NoConnectHandler = "Handler does not export a connect() function."

// connectEvent is a connection from another script: connect(socket, env, ctx) of an entrypoint.
type connectEvent struct {
	joint *sockets.Joint
}

// Connect gives a connection to an entrypoint. It returns at once; a Worker that has ended or has no handler refuses
// it. Any goroutine.
func (iso *Isolate) Connect(ctx context.Context, j *sockets.Joint, o DispatchOptions) {
	e := &connectEvent{joint: j}
	if !iso.Dispatch(context.WithoutCancel(ctx), e, o) {
		j.Refuse()
	}
}

// Kind implements [Event].
func (e *connectEvent) Kind() string { return "connect" }

// Run implements [Event].
func (e *connectEvent) Run(inv *Invocation) goja.Value {
	h, ok := inv.Handler("connect")
	if !ok {
		e.joint.Refuse()
		inv.Isolate.Warn("Received a connect event but we lack a handler. Did you remember to export a connect() " +
			"function?")
		inv.Isolate.Realm.ThrowError("Error", "%s", NoConnectHandler)
	}
	return h.Call(inv, e.joint.Accept(inv.Isolate.Host))
}

// Settle implements [Event].
func (e *connectEvent) Settle(inv *Invocation, _, failure goja.Value) {
	if failure != nil {
		inv.Isolate.Uncaught(failure)
	}
}

// Done implements [Event].
func (e *connectEvent) Done(*Invocation, error) {
	e.joint.Refuse() // if it never ran
	e.joint.End()
}
