package rpc

import (
	"github.com/dop251/goja"
)

// lookup finds what a path names, and the object to call it on.
func (c *Callee) lookup(path []string) (v, this goja.Value) {
	root := c.here(c.Value)
	if len(path) == 0 {
		return root, root
	}
	obj, ok := root.(*goja.Object)
	if !ok {
		c.noMethod(path[0])
	}
	if c.opaque {
		c.noMethod(path[0])
	}
	own, inStub := c.Own, false
	switch c.Kit.h.Realm.State(obj).(type) {
	case *stub, fetcherState:
		inStub = true
	}
	for _, name := range path[:len(path)-1] {
		next, ok := c.here(c.get(obj, name, own)).(*goja.Object)
		if !ok {
			c.noMethod(name)
		}
		obj = next
		switch state := c.Kit.h.Realm.State(obj).(type) {
		case *stub, fetcherState:
			own, inStub = false, true
			continue
		case *property:
			if !inStub {
				c.noMethod(name)
			}
			own = false
			continue
		case *promise:
			_ = state
			c.noMethod(name)
		}
		if own, ok = c.Kit.stubType(obj); !ok {
			c.noMethod(name)
		}
	}
	v = c.get(obj, path[len(path)-1], own)
	if _, called := v.(*goja.Object); called {
		v = c.here(v)
	}
	return v, obj
}

// here returns v. If v is a stub that was sent away in the result that is looked into, here returns its stand-in.
func (c *Callee) here(v goja.Value) goja.Value {
	if !c.piped {
		return v
	}
	return c.Kit.traveler(v)
}

func (c *Callee) noMethod(name string) { c.Kit.h.Realm.ThrowType(errNoMethod, name) }

// get reads one property by the rules of RPC4.
func (c *Callee) get(obj *goja.Object, name string, own bool) goja.Value {
	if reserved(name, c.Entrypoint) {
		c.Kit.h.Realm.ThrowType(errReserved, name)
	}
	has, err := c.Kit.hasOwn(obj, c.Kit.h.Runtime().ToValue(name))
	if err != nil {
		panic(c.Kit.h.Realm.ErrorValue(err))
	}
	if has.ToBoolean() != own {
		if c.Kit.hints && c.Entrypoint && !own && !c.inherits(obj, name) {
			c.Kit.h.Realm.ThrowType(errInstance, name)
		}
		c.noMethod(name)
	}
	c.inside = true
	v := obj.Get(name)
	c.inside = false
	if own {
		return orUndefined(v)
	}
	// What every object inherits does not count as the class's own (RPC4).
	if v == nil || goja.IsUndefined(v) {
		if c.Kit.hints && c.Entrypoint {
			c.Kit.h.Realm.ThrowType(errNoMember, name)
		}
		c.noMethod(name)
	}
	if base := c.Kit.objectProto.Get(name); base != nil && base.SameAs(v) {
		c.noMethod(name)
	}
	return v
}

// inherits tells whether the class of an object has a member.
func (c *Callee) inherits(obj *goja.Object, name string) bool {
	for p := obj.Prototype(); p != nil && p != c.Kit.objectProto; p = p.Prototype() {
		if has, err := c.Kit.hasOwn(p, c.Kit.h.Runtime().ToValue(name)); err == nil && has.ToBoolean() {
			return true
		}
	}
	return false
}

// Hints makes calls of what an entrypoint or object of the isolate lacks fail with the texts that Cloudflare's
// integration with vitest has (TEST-18).
func (k *Kit) Hints() { k.hints = true }

const (
	errNoMember = "The RPC receiver does not implement \"%s\"."
	errInstance = "The RPC receiver's prototype does not implement \"%[1]s\", but the receiver instance does.\n" +
		"Only properties and methods defined on the prototype can be accessed over RPC.\n" +
		"Ensure properties are declared like `get %[1]s() { ... }` instead of `%[1]s = ...`,\n" +
		"and methods are declared like `%[1]s() { ... }` instead of `%[1]s = () => { ... }`."
)

// reserved are the names that are never called as methods (RPC6).
func reserved(name string, entrypoint bool) bool {
	switch name {
	case "dup", "constructor":
		return true
	case "fetch", "connect", "alarm", "webSocketMessage", "webSocketClose", "webSocketError":
		return entrypoint
	}
	return false
}
