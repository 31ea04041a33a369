package objectjs

import (
	"github.com/dop251/goja"

	"eddy/durableobject"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
)

// Texts of GT6 and GT8.
const (
	errSectionTime = "A call to blockConcurrencyWhile() in a Durable Object waited for too long. The call was " +
		"canceled and the Durable Object was reset."
	errAborted = "Application called abort() to reset Durable Object."
)

// defineState makes DurableObjectState, the ctx of objects (CL13).
func (k *kit) defineState() {
	r := k.iso.Realm
	members := []webidl.Member{
		webidl.Method("waitUntil", func(i *instance, c *webidl.Call) goja.Value {
			i.WaitUntil(c.Require(0, "Promise"))
			return nil
		}),
		webidl.Async("blockConcurrencyWhile", func(i *instance, c *webidl.Call) goja.Value {
			return i.blockConcurrencyWhile(c.Function(0))
		}),
		webidl.Method("abort", func(i *instance, c *webidl.Call) goja.Value {
			text := errAborted
			if !c.Missing(0) {
				text = webidl.ToString(c.Arg(0))
			}
			if o := c.Object(1, "AbortOptions"); o != nil && i.alarm != nil {
				again := webidl.Option(o, "retryAlarm")
				i.alarm.last = again != nil && !goja.IsUndefined(again) && !again.ToBoolean()
			}
			i.abort(rpc.Fail(text).With(func(f *rpc.RemoteError) { f.Reset = true }))
			return nil
		}),
	}
	members = append(members, k.socketMembers()...)
	if k.iso.Flags.Enabled(rpc.StoreFlag) {
		members = append(members, webidl.Async("restore", func(i *instance, c *webidl.Call) goja.Value {
			params, ok := c.Arg(0).(*goja.Object)
			if !ok {
				c.ThrowNotOfType(0, "Object")
			}
			return k.rpc.Restore(i.value, params, i.self, func() func() { i.begin(); return i.end })
		}))
	}
	k.state = r.Define(webidl.Spec{Name: "DurableObjectState", Members: members})
}

// newState makes the ctx of an instance.
func (k *kit) newState(i *instance) *goja.Object {
	obj := k.state.Wrap(i)
	rt := k.iso.Runtime()
	own := func(name string, v goja.Value) {
		_ = obj.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	own("facets", k.newFacets(i))
	own("container", k.containerOf(i))
	own("storage", k.newStorage(i))
	own("id", i.idValue())
	if i.h.facetClass != nil {
		own("props", k.rpc.DecodeProps(i.h.facetClass.Token.Props))
	} else {
		own("props", rt.NewObject())
	}
	if k.iso.Flags.Enabled("enable_ctx_exports") {
		own("exports", k.iso.CtxExports())
	}
	return obj
}

// self is the token by which the object can be called again, nil if it has none: a facet is known only to its parent.
func (i *instance) self() *rpc.Token {
	if i.h.parent != nil {
		return i.caller
	}
	return &rpc.Token{Worker: i.h.ns.class.Worker, Entrypoint: i.h.ns.class.Name, Object: i.object.ID.String(),
		Name: i.object.Name, Named: i.object.HasName, Lasting: i.h.iso.Flags.Enabled(rpc.StoreFlag)}
}

// idValue is ctx.id. A facet has its parent's, or what it was given (CL14).
func (i *instance) idValue() goja.Value {
	if i.h.facetID != nil {
		return i.h.facetID
	}
	if i.idObject == nil {
		i.idObject = i.h.kit.newID(&objectID{id: i.object.ID, name: i.object.Name, named: i.object.HasName})
	}
	return i.idObject
}

// abort resets the object and ends its script at once: no script can catch it (GT8). It does not return to native code
// that the object's own script has called.
func (i *instance) abort(f *rpc.RemoteError) {
	running := i.h.iso.Loop.Scope() == i.scope
	i.reset(f)
	if running {
		i.h.iso.Loop.Interrupt(f.Message)
		// Thrown here and now: a script that ended before it met the interrupt would leave it to the next.
		panic(new(goja.InterruptedError))
	}
}

// blockConcurrencyWhile runs fn while no other event enters (GT4 to GT6).
func (i *instance) blockConcurrencyWhile(fn goja.Callable) goja.Value {
	return i.critical(func() goja.Value {
		v, err := fn(goja.Undefined())
		if err != nil {
			panic(i.h.iso.Realm.ErrorValue(err))
		}
		return v
	}, func(v, failure goja.Value, settle func(value, failure goja.Value)) {
		if failure != nil {
			f := i.h.kit.rpc.Thrown(failure)
			f.Reset, f.Remote = true, false
			i.h.iso.Uncaught(failure)
			i.reset(f)
			return
		}
		settle(v, nil)
	})
}

// critical runs body as a critical section, and then calls done with its result. done settles the promise that critical
// returns. A section that takes longer than 30 s resets the object.
func (i *instance) critical(body func() goja.Value, done func(v, failure goja.Value,
	settle func(value, failure goja.Value))) goja.Value {
	iso := i.h.iso
	loop := iso.Loop
	p, resolve, reject := iso.Realm.NewPromise()
	settle := func(v, failure goja.Value) {
		var err error
		if failure != nil {
			err = reject(failure)
		} else {
			if v == nil {
				v = goja.Undefined()
			}
			err = resolve(v)
		}
		if err != nil {
			panic(err)
		}
	}
	parent, _ := loop.Section().(*durableobject.Section)
	within := loop.Snapshot()
	i.begin()
	start := func(s *durableobject.Section) {
		over := false
		limit := loop.Clock().AfterFunc(sectionLimit, func() {
			loop.Post(func() {
				if over || i.gone {
					return
				}
				i.reset(&rpc.RemoteError{Name: "Error", Message: errSectionTime, Overloaded: true, Reset: true})
			})
		})
		leave := func(v, failure goja.Value) {
			if over || i.gone {
				return
			}
			over = true
			limit.Stop()
			unlock := func() {
				if !i.gone {
					i.object.Input.Unlock(s)
				}
			}
			done(v, failure, func(value, failure goja.Value) {
				// Whoever awaits the section goes on inside settle: it may open the next one at once.
				unlock()
				settle(value, failure)
			})
			unlock()
			i.end()
		}
		run := func() {
			loop.WithSection(s, func() {
				var result goja.Value
				if ex := iso.Realm.Try(func() { result = body() }); ex != nil {
					leave(nil, ex)
					return
				}
				iso.Realm.Then(result, func(v goja.Value) { leave(v, nil) }, func(v goja.Value) { leave(nil, v) })
			})
		}
		if i.gone {
			return
		}
		// The callback starts as a microtask: what the caller does in the same turn comes first.
		within(func() { iso.Realm.Then(goja.Undefined(), func(goja.Value) { run() }, nil) })
	}
	i.object.Input.Lock(parent, start)
	return iso.Runtime().ToValue(p)
}
