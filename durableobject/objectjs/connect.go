package objectjs

import (
	"context"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/sockets"
	"eddy/runtime/worker"
)

// connector is the way of connect() on a stub of k's isolate: to the connect handler of the object (BIND-163).
func (c *client) connector(k *kit) func(sockets.Destination) sockets.Way {
	return func(sockets.Destination) sockets.Way {
		return sockets.Way{Join: func(j *sockets.Joint) {
			hops, err := k.iso.Loop.Hops().Object()
			if err != nil {
				j.Refuse()
				return
			}
			c.join(j, hops, c.away)
		}}
	}
}

// join takes a connection to the object, or to another session that has it.
func (c *client) join(j *sockets.Joint, hops eventloop.Hops, away func() Distant) {
	if c.ns.bring(c.id, func(h *home) {
		if h == nil || h.closed {
			j.Refuse()
			return
		}
		h.connect(c, j, hops)
	}) {
		return
	}
	if distant := away(); distant != nil {
		distant.Connect(j, hops)
		return
	}
	j.Refuse()
}

// Connect delivers a connection from another session to an object that [Objects.Client] has given. It does not wait.
func (o *Objects) Connect(to rpc.Client, j *sockets.Joint, hops eventloop.Hops) {
	c, ok := to.(*client)
	if !ok {
		j.Refuse()
		return
	}
	c.join(j, hops, c.elsewhere)
}

// connect delivers a connection.
func (h *home) connect(c *client, j *sockets.Joint, hops eventloop.Hops) {
	inst, failure := h.reach(c)
	if failure != nil {
		j.Refuse()
		return
	}
	inst.begin()
	over := context.AfterFunc(inst.scope.Context(), func() { j.Refuse(); j.End() }) // the object was reset
	inst.enter(connectEvent, func() {
		iso := inst.h.iso
		iso.Loop.SetHops(hops)
		done := func(failure goja.Value) {
			if failure != nil {
				iso.Uncaught(failure)
			}
			over()
			j.End()
			inst.end()
		}
		var result goja.Value
		if ex := iso.Realm.Try(func() {
			fn, ok := goja.AssertFunction(inst.value.Get("connect"))
			if !ok {
				j.Refuse()
				iso.Realm.ThrowError("Error", "%s", worker.NoConnectHandler)
			}
			v, err := fn(inst.value, j.Accept(iso.Host))
			if err != nil {
				panic(iso.Realm.ErrorValue(err))
			}
			result = v
		}); ex != nil {
			done(ex)
			return
		}
		iso.Realm.Then(result, func(goja.Value) { done(nil) }, done)
	})
}
