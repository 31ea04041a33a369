package rpc

import (
	"github.com/dop251/goja"
)

// caller is the state of every object whose unknown members are RPC properties.
type caller interface {
	// member says where a member of that name leads: to a Client, and the path from it. The Client is nil if the object
	// has no wildcard members, or not this one.
	member(k *Kit, name string) (Client, []string)
}

// defineTail makes the end of the prototype chains of stubs: an object that answers every name that nothing before it
// knows with an RPC property. One object serves all, because it is told which stub was asked.
func (k *Kit) defineTail() {
	rt := k.h.Runtime()
	base := rt.NewObject() // it inherits what all objects have: toString, hasOwnProperty … are found locally (RPC1)
	proxy := rt.NewProxy(base, &goja.ProxyTrapConfig{
		Get: func(target *goja.Object, name string, receiver goja.Value) goja.Value {
			if v := target.Get(name); v != nil {
				return v
			}
			state := k.h.Realm.State(receiver)
			switch state.(type) {
			case *stub, fetcherState:
				// A stub is not a thenable: an async function that returns one gives the stub. JSON shows its own
				// properties only (RPC1).
				if name == "then" || name == "toJSON" {
					return goja.Undefined()
				}
			}
			c, ok := state.(caller)
			if !ok {
				return goja.Undefined()
			}
			client, path := c.member(k, name)
			if client == nil {
				return goja.Undefined()
			}
			return k.newProperty(client, path)
		},
		GetIdx: func(target *goja.Object, i int, receiver goja.Value) goja.Value { return goja.Undefined() },
		// A stub is not a thenable, numbers name nothing (RPC1), and without the flag there are no names (RPC22).
		Has:    func(_ *goja.Object, name string) bool { return name != "then" && k.h.Enabled("rpc") },
		HasIdx: func(*goja.Object, int) bool { return false },
	})
	k.tail = rt.ToValue(proxy).(*goja.Object)
}

// callable makes an object of a class that can be called. It has no own members: even name and length are the other
// side's.
func (k *Kit) callable(class *goja.Object, state any, call func(args []goja.Value) goja.Value) *goja.Object {
	f := k.h.Runtime().ToValue(func(fc goja.FunctionCall) goja.Value { return call(fc.Arguments) }).(*goja.Object)
	// new calls, too: the platform's callable objects have no other way to be constructed.
	k.h.Realm.Constructible(f, func(args []goja.Value) *goja.Object { return call(args).(*goja.Object) })
	_ = f.Delete("name")
	_ = f.Delete("length")
	_ = f.SetPrototype(class)
	k.h.Realm.SetState(f, state)
	return f
}
