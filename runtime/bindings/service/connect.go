package service

import (
	"context"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/webapi/sockets"
	"eddy/runtime/worker"
)

// connector is the way of connect() on a stub in iso: to the connect handler of the Worker (BIND-163).
func (t *target) connector(iso *worker.Isolate) func(sockets.Destination) sockets.Way {
	return func(to sockets.Destination) sockets.Way {
		if _, here := t.isolate(); !here && t.dir.Elsewhere(t.worker) != nil {
			iso.WarnOnce("connect() does not reach Workers of another session: give " + t.worker +
				" to this one with -c")
		}
		return sockets.Way{Join: func(j *sockets.Joint) { t.join(iso, to.Scope, j) }}
	}
}

// lateConnector is connector for a Worker that may still be starting.
func (t *target) lateConnector(iso *worker.Isolate) func(sockets.Destination) sockets.Way {
	return func(to sockets.Destination) sockets.Way {
		return sockets.Way{Join: func(j *sockets.Joint) { t.late.then(func() { t.join(iso, to.Scope, j) }) }}
	}
}

func (t *target) join(iso *worker.Isolate, scope *eventloop.Scope, j *sockets.Joint) {
	callee, ok := t.isolate()
	hops, err := iso.Loop.Hops().Worker()
	if !ok || err != nil {
		j.Refuse() // nobody runs it here, or it calls itself without end
		return
	}
	callee.Connect(context.WithoutCancel(scope.Context()), j, t.options(hops))
}
