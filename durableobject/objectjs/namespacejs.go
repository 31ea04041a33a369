package objectjs

import (
	"github.com/dop251/goja"

	"eddy/durableobject"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// objectID is the state of a DurableObjectId.
type objectID struct {
	id    durableobject.ID
	name  string
	named bool
	text  goja.Value // the name as JavaScript gave it
}

// stubState is the state of a stub.
type stubState struct {
	rpc.Fetcher
	id *objectID
}

// binding is an entry of env that is a namespace.
type binding struct {
	objs  *Objects
	name  string
	class Class
}

// Binding makes a namespace binding: env[name] is the namespace of a class, of this Worker or another (script_name).
func (o *Objects) Binding(name string, c Class) worker.Binding {
	return binding{objs: o, name: name, class: c}
}

// Name implements [worker.Binding].
func (b binding) Name() string { return b.name }

// Install implements [worker.Binding].
func (b binding) Install(iso *worker.Isolate) (goja.Value, error) {
	return kitOf(iso).newNamespace(b.objs.namespace(b.class, false)), nil
}

func (k *kit) newNamespace(n *namespace) *goja.Object { return k.namespace.Wrap(n) }

// newLoopback makes a namespace of ctx.exports: it is also a function, which makes an object class with props (CL12).
func (k *kit) newLoopback(n *namespace) *goja.Object {
	fn := k.iso.Realm.Function("", func(fc goja.FunctionCall) goja.Value {
		return k.newClassStub(rpc.Token{Worker: n.class.Worker, Entrypoint: n.class.Name,
			Props: k.rpc.PropsOf(k.loopback, fc.Arguments), Lasting: k.iso.Flags.Enabled(rpc.StoreFlag)})
	})
	_ = fn.Delete("name")
	_ = fn.Delete("length")
	_ = fn.SetPrototype(k.loopback.Prototype)
	k.iso.Realm.SetState(fn, n)
	return fn
}

const errJurisdiction = "Jurisdiction restrictions are not implemented in workerd."

func (k *kit) defineNamespace() {
	r := k.iso.Realm
	// jurisdiction checks an argument: only none is served, as in the reference (ID6).
	jurisdiction := func(v goja.Value) {
		if v != nil && !goja.IsUndefined(v) && !goja.IsNull(v) {
			r.ThrowError("Error", "%s", errJurisdiction)
		}
	}
	k.id = r.Define(webidl.Spec{Name: "DurableObjectId", Members: []webidl.Member{
		webidl.Method("toString", func(d *objectID, c *webidl.Call) goja.Value { return c.Value(d.id.String()) }),
		webidl.Method("equals", func(d *objectID, c *webidl.Call) goja.Value {
			other, ok := webidl.StateOf[*objectID](r, c.Arg(0))
			if !ok {
				c.ThrowNotOfType(0, "DurableObjectId")
			}
			return c.Value(other.id == d.id)
		}),
	}})
	fromName := func(n *namespace, c *webidl.Call) *objectID {
		if _, symbol := c.Require(0, "string").(*goja.Symbol); symbol {
			c.ThrowType("Cannot convert a Symbol value to a string")
		}
		v := c.Arg(0).ToString()
		name := bytesOf(v)
		if _, ok := v.(goja.String); !ok {
			v = k.stringOf(name) // a number, null or undefined: goja's ToString leaves those as they are
		}
		return &objectID{id: durableobject.IDFromName(n.key, name), name: name, named: true, text: v}
	}
	get := func(n *namespace, d goja.Value, c *webidl.Call) goja.Value {
		id, _ := webidl.StateOf[*objectID](r, d)
		if o := c.Object(1, "GetDurableObjectOptions"); o != nil {
			if mode := webidl.Option(o, "routingMode"); mode != nil && webidl.ToString(mode) != "primary-only" {
				r.ThrowError("RangeError", "unknown routingMode: %s", webidl.ToString(mode))
			}
		}
		return k.newStub(n, id, d, k.isLoopback(c.This))
	}
	k.namespace = r.Define(webidl.Spec{Name: "DurableObjectNamespace", Members: []webidl.Member{
		webidl.Method("newUniqueId", func(n *namespace, c *webidl.Call) goja.Value {
			jurisdiction(webidl.Option(c.Object(0, "NewUniqueIdOptions"), "jurisdiction"))
			id, err := durableobject.NewUniqueID(n.key, k.iso.Host)
			if err != nil {
				panic(r.ErrorValue(err))
			}
			return k.newID(&objectID{id: id})
		}),
		webidl.Method("idFromName", func(n *namespace, c *webidl.Call) goja.Value { return k.newID(fromName(n, c)) }),
		webidl.Method("idFromString", func(n *namespace, c *webidl.Call) goja.Value {
			id, err := durableobject.ParseID(n.key, c.String(0))
			if err != nil {
				r.ThrowType("%s", err)
			}
			return k.newID(&objectID{id: id})
		}),
		webidl.Method("get", func(n *namespace, c *webidl.Call) goja.Value {
			if _, ok := webidl.StateOf[*objectID](r, c.Arg(0)); !ok {
				c.ThrowNotOfType(0, "DurableObjectId")
			}
			return get(n, c.Arg(0), c)
		}),
		webidl.Method("getByName", func(n *namespace, c *webidl.Call) goja.Value {
			return get(n, k.newID(fromName(n, c)), c)
		}),
		webidl.Method("jurisdiction", func(n *namespace, c *webidl.Call) goja.Value {
			jurisdiction(c.Arg(0))
			return k.newNamespace(n)
		}),
	}})
	k.loopback = r.Define(webidl.Spec{Name: "LoopbackDurableObjectNamespace", Parent: k.namespace})
	k.stub = r.Define(webidl.Spec{Name: "DurableObject", Parent: k.rpc.FetcherClass()})
}

// isLoopback tells whether a namespace is one of ctx.exports.
func (k *kit) isLoopback(namespace goja.Value) bool {
	obj, ok := namespace.(*goja.Object)
	return ok && obj.Prototype() == k.loopback.Prototype
}

// newID makes an id object: name and jurisdiction are its own, read-only properties (ID8).
func (k *kit) newID(d *objectID) *goja.Object {
	obj := k.id.Wrap(d)
	name := goja.Undefined()
	if d.named {
		name = d.text
		if name == nil {
			name = k.stringOf(d.name)
		}
	}
	_ = obj.DefineDataProperty("jurisdiction", goja.Undefined(), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	_ = obj.DefineDataProperty("name", name, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	return obj
}

// fetcher makes the service stub that a stub of an object becomes when it is sent to others: it has no id and no name
// (RPC10).
func (k *kit) fetcher(n *namespace, d *objectID, from rpc.Token) *rpc.Fetcher {
	c := &client{ns: n, id: d.id, name: d.name, named: d.named, stored: from.Stored, conn: &connection{}}
	return &rpc.Fetcher{
		Client: c, Fetch: c.sender(k), Connect: c.connector(k), Class: "DurableObject",
		MakeToken: func() *rpc.Token {
			return &rpc.Token{Worker: n.class.Worker, Entrypoint: n.class.Name, Object: d.id.String(), Name: d.name,
				Named: d.named, Lasting: from.Lasting}
		},
	}
}

// receive lets stubs of objects that were sent come back as service stubs.
func (k *kit) receive() {
	k.rpc.AddDirectory(func(t *rpc.Token) (*goja.Object, bool) {
		if t.Object == "" {
			return nil, false
		}
		n := k.objs.namespace(Class{Worker: t.Worker, Name: t.Entrypoint}, false)
		id, err := durableobject.ParseID(n.key, t.Object)
		if err != nil {
			return nil, false
		}
		return k.rpc.NewFetcher(k.fetcher(n, &objectID{id: id, name: t.Name, named: t.Named}, *t)), true
	})
}

// newStub makes a stub. Its id and name are its own; every other member but fetch and connect is an RPC property
// (RPC1). One that ctx.exports gives may be stored, if the Worker allows it (BIND-161).
func (k *kit) newStub(n *namespace, d *objectID, idObject goja.Value, exported bool) *goja.Object {
	from := rpc.Token{Lasting: exported && k.iso.Flags.Enabled(rpc.StoreFlag)}
	s := &stubState{id: d, Fetcher: *k.fetcher(n, d, from)}
	obj := k.stub.Wrap(s)
	name := idObject.(*goja.Object).Get("name")
	_ = obj.DefineDataProperty("name", name, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	_ = obj.DefineDataProperty("id", idObject, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	return obj
}
