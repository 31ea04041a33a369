package objectjs

import (
	"context"
	"errors"

	"github.com/dop251/goja"

	"eddy/durableobject"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// errForeign refuses objects whose instance lives in another isolate (TEST-20).
const errForeign = "Durable Object test helpers can only be used with stubs pointing to objects defined within " +
	"the same worker."

// TestHelpers is what cloudflare:test does with objects (TEST-19 to TEST-29), as functions of an isolate. Each returns
// a promise; a mistake in an argument is thrown.
func (o *Objects) TestHelpers(iso *worker.Isolate) *goja.Object {
	rt, k := iso.Runtime(), kitOf(iso)
	out := rt.NewObject()
	set := func(name string, f func(fc goja.FunctionCall) goja.Value) {
		_ = out.Set(name, iso.Realm.Function(name, f))
	}
	set("run", func(fc goja.FunctionCall) goja.Value {
		fn, ok := goja.AssertFunction(fc.Argument(1))
		c := k.stubOf(fc.Argument(0), "runInDurableObject")
		if !ok {
			iso.Realm.ThrowType("Failed to execute 'runInDurableObject': parameter 2 is not of type 'function'.")
		}
		return k.inside(c, func(i *instance) (goja.Value, error) { return fn(goja.Undefined(), i.value, i.ctx) })
	})
	set("alarm", func(fc goja.FunctionCall) goja.Value {
		return k.inside(k.stubOf(fc.Argument(0), "runDurableObjectAlarm"), k.takeAlarm)
	})
	set("list", func(fc goja.FunctionCall) goja.Value {
		n, ok := webidl.StateOf[*namespace](iso.Realm, fc.Argument(0))
		if !ok {
			iso.Realm.ThrowType("Failed to execute 'listDurableObjectIds': parameter 1 is not of type " +
				"'DurableObjectNamespace'.")
		}
		return k.stored(n)
	})
	set("evict", func(fc goja.FunctionCall) goja.Value {
		return k.evict(k.stubOf(fc.Argument(0), "evictDurableObject"), fc.Argument(1).String() == "close")
	})
	set("evictAll", func(fc goja.FunctionCall) goja.Value {
		sockets := fc.Argument(0).String() == "close"
		return k.each(func(h *home) error { return h.evictAll(sockets) })
	})
	set("abortAll", func(goja.FunctionCall) goja.Value {
		return k.each(func(h *home) error { h.abortAll("Application called abortAllDurableObjects()."); return nil })
	})
	set("deleteAll", func(goja.FunctionCall) goja.Value {
		return k.each(func(h *home) error {
			h.abortAll("Application called deleteAllDurableObjects().")
			return h.deleteStored()
		})
	})
	return out
}

// stubOf is the stub that a helper was given.
func (k *kit) stubOf(v goja.Value, helper string) *client {
	state, ok := webidl.StateOf[*stubState](k.iso.Realm, v)
	if !ok {
		k.iso.Realm.ThrowType("Failed to execute '%s': parameter 1 is not of type 'DurableObjectStub'.", helper)
	}
	c, ok := state.Client.(*client)
	if !ok || c.ns.loop() != k.iso.Loop {
		k.iso.Realm.ThrowError("Error", errForeign)
	}
	return c
}

// inside runs fn as an event of an object, and answers with its result by identity.
func (k *kit) inside(c *client, fn func(*instance) (goja.Value, error)) goja.Value {
	realm := k.iso.Realm
	p, settle := k.iso.Loop.Scope().Deferred()
	fail := func(f *rpc.RemoteError) { settle(func() (goja.Value, goja.Value) { return nil, k.rpc.Value(f) }) }
	c.ns.post(func(h *home) {
		if h == nil || h.closed {
			fail(errReloaded)
			return
		}
		defer h.unstarted(fail)
		inst, failure := h.reach(c)
		if failure != nil {
			fail(local(failure))
			return
		}
		inst.begin()
		inst.enter(testAct, func() {
			var result goja.Value
			end := func(value, thrown goja.Value) {
				inst.scope.Output(func(err error) {
					settle(func() (goja.Value, goja.Value) {
						if err != nil && thrown == nil {
							return nil, realm.ErrorValue(err)
						}
						return value, thrown
					})
					inst.end()
				})
			}
			if ex := realm.Try(func() {
				v, err := fn(inst)
				if err != nil {
					panic(realm.ErrorValue(err))
				}
				result = v
			}); ex != nil {
				end(nil, ex)
				return
			}
			realm.Then(result, func(v goja.Value) { end(v, nil) }, func(ex goja.Value) { end(nil, ex) })
		})
	})
	return p
}

// takeAlarm deletes the alarm of an object and then calls its handler, whatever time it was set for (TEST-21).
func (k *kit) takeAlarm(i *instance) (goja.Value, error) {
	no, yes := k.iso.Runtime().ToValue(false), k.iso.Runtime().ToValue(true)
	at, err := i.store.Alarm()
	if err != nil {
		return nil, err
	}
	if at.IsZero() {
		return no, nil
	}
	if err := i.store.DeleteAlarm(); err != nil {
		return nil, err
	}
	i.alarmChanged()
	fn, ok := goja.AssertFunction(i.value.Get("alarm"))
	if !ok {
		return yes, nil
	}
	v, err := fn(i.value)
	if err != nil {
		return nil, err
	}
	p, resolve, reject := k.iso.Runtime().NewPromise()
	k.iso.Realm.Then(v, func(goja.Value) { _ = resolve(yes) }, func(ex goja.Value) { _ = reject(ex) })
	return k.iso.Runtime().ToValue(p), nil
}

// stored answers with the ids of a namespace's objects that have stored something or are alive (TEST-23).
func (k *kit) stored(n *namespace) goja.Value {
	return k.iso.Loop.Scope().Promise(func() func() (goja.Value, goja.Value) {
		list, err := k.objs.List(context.Background(), n.key)
		return func() (goja.Value, goja.Value) {
			if err != nil {
				return nil, k.iso.Realm.ErrorValue(err)
			}
			ids := k.iso.Runtime().NewArray()
			for _, info := range list {
				id, err := durableobject.ParseID(n.key, info.ID)
				if err != nil {
					continue
				}
				_ = ids.Set(ids.Get("length").String(), k.newID(&objectID{id: id}))
			}
			return ids, nil
		}
	})
}

// evict drops the instance of an object that is at rest; storage, alarm and, unless close, sockets stay (TEST-24).
func (k *kit) evict(c *client, sockets bool) goja.Value {
	p, settle := k.iso.Loop.Scope().Deferred()
	answer := func(text string) {
		settle(func() (goja.Value, goja.Value) {
			if text != "" {
				return nil, k.iso.Realm.NewError("Error", text)
			}
			return goja.Undefined(), nil
		})
	}
	c.ns.post(func(h *home) {
		if h == nil || h.closed {
			answer("Cannot evict Durable Object: it is not currently running.")
			return
		}
		inst := h.inMemory(c.id.String())
		switch {
		case inst == nil:
			answer("Cannot evict Durable Object: it is not currently running.")
		case h.drop(inst, sockets):
			answer("")
		default:
			answer("Timed out waiting to evict Durable Object: it still has active references.")
		}
	})
	return p
}

// drop takes an instance out of memory if it is at rest.
func (h *home) drop(inst *instance, sockets bool) bool {
	if s := h.sockets[inst.object.ID.String()]; s != nil && sockets {
		delete(h.sockets, inst.object.ID.String())
		s.lose()
	}
	if !h.live.Evict(inst.object, h.now()) {
		return false
	}
	h.arm()
	return true
}

func (h *home) evictAll(sockets bool) error {
	for _, o := range h.live.Objects() {
		if inst, ok := o.Actor.(*instance); ok && !inst.gone {
			h.drop(inst, sockets)
		}
	}
	return nil
}

// abortAll resets every instance; what is stored stays.
func (h *home) abortAll(text string) {
	for _, o := range h.live.Objects() {
		if inst, ok := o.Actor.(*instance); ok && !inst.gone {
			inst.reset(rpc.Fail(text))
		}
	}
}

// deleteStored deletes what the objects of the namespace have stored, alarms included.
func (h *home) deleteStored() error {
	ns, err := h.storage()
	if err != nil {
		return err
	}
	list, err := h.list("")
	var errs []error
	for _, info := range list {
		s := ns.Store(info.ID)
		errs = append(errs, s.DeleteAll(false), s.Commit(), ns.RemoveFacets(info.ID))
		s.Close()
		h.ns.objs.alarms.Delete(durableobject.AlarmKey{Namespace: h.ns.key, ID: mustID(info.ID)})
	}
	return errors.Join(append(errs, err)...)
}

// each runs f for every namespace that this isolate serves, and answers when all have ended.
func (k *kit) each(f func(*home) error) goja.Value {
	return k.iso.Loop.Scope().Promise(func() func() (goja.Value, goja.Value) {
		var errs []error
		for _, n := range k.objs.of(k.iso.Name) {
			errs = append(errs, k.objs.on(context.Background(), n.key, f))
		}
		err := errors.Join(errs...)
		return func() (goja.Value, goja.Value) {
			if err != nil {
				return nil, k.iso.Realm.ErrorValue(err)
			}
			return goja.Undefined(), nil
		}
	})
}
