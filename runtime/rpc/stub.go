package rpc

import (
	"fmt"
	"slices"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// Texts of RPC13.
const (
	errDisposed        = "RPC stub used after being disposed."
	errDisposedPromise = "RPC promise used after being disposed."
	// the text of a stub that is used in another request than its own
	errOtherScope = "Cannot perform I/O on behalf of a different request. I/O objects (such as streams, " +
		"request/response bodies, and others) created in the context of one request handler cannot be accessed from " +
		"a different request's handler. This is a limitation of Cloudflare Workers which allows us to improve " +
		"overall performance. (I/O type: %s)"
	errStubOf = "RpcStubs can only wrap plain objects, functions, and RpcTarget derivatives."
)

// maxDepth is how many names a path may have.
const maxDepth = 64

// stub is the state of an RpcStub.
type stub struct {
	object *goja.Object
	client Client // Broken once it is disposed
	owner  *scopeState
	gone   bool
	// moved is what the stub pointed at before it went out in a result. A call that is pipelined on that result still
	// finds it. moved is not counted as a reference.
	moved Client
	// token is the way to make the stub again, nil if it is lost with its connection.
	token *Token
}

// property is the state of an RpcProperty: a name on a Client, not read yet.
type property struct {
	client Client
	path   []string
}

// promise is the state of an RpcPromise.
type promise struct {
	value  goja.Value // the native promise
	answer *Answer
	// waits is the promise of whoever awaits this one, nil if nobody does, or in another way.
	waits *goja.Promise
	gone  bool // disposed: nothing more is asked of the result
}

func (s *stub) member(k *Kit, name string) (Client, []string) { return s.usable(k), []string{name} }
func (p *promise) member(k *Kit, name string) (Client, []string) {
	return p.usable(k), []string{name}
}
func (p *property) member(k *Kit, name string) (Client, []string) {
	if len(p.path) >= maxDepth {
		k.h.Realm.ThrowType("RPC pipelined property path is too deep (max %d).", maxDepth)
	}
	return p.client, append(slices.Clip(p.path), name)
}

// NewStub makes an RpcStub that owns a reference; the current scope holds it.
func (k *Kit) NewStub(c Client) *goja.Object { return k.newStub(c).object }

func (k *Kit) newStub(c Client) *stub {
	s := &stub{client: c}
	s.object = k.callable(k.stubClass.Prototype, s, func(args []goja.Value) goja.Value {
		return k.Start(s.usable(k), nil, false, args)
	})
	if scope := k.h.Loop.Scope(); scope != nil {
		s.owner = k.stateOf(scope)
		s.owner.stubs[s] = struct{}{}
	}
	return s
}

// usable returns the stub's client for the current scope. It is a broken one in any scope but that in which the stub
// was received or made.
func (s *stub) usable(k *Kit) Client {
	if s.owner != nil && s.owner.scope != k.h.Loop.Scope() {
		return foreignTo("Client")
	}
	return s.client
}

// foreignTo is the client of a value that belongs to another request. kind is the platform's word for the value.
func foreignTo(kind string) Client { return Broken{Fail(fmt.Sprintf(errOtherScope, kind))} }

// within is c, unless it is the answer to a call of another scope.
func (k *Kit) within(c Client, kind string) Client {
	if a, ok := c.(*Answer); ok && a.scope != nil && a.scope != k.h.Loop.Scope() {
		return foreignTo(kind)
	}
	return c
}

// traveler returns a stand-in for a stub that has gone out in the result in which a path is looked up.
func (k *Kit) traveler(v goja.Value) goja.Value {
	s, ok := k.h.Realm.State(v).(*stub)
	if !ok || s.moved == nil {
		return v
	}
	t := &stub{client: s.moved, token: s.token}
	t.object = k.callable(k.stubClass.Prototype, t, func(args []goja.Value) goja.Value {
		return k.Start(t.client, nil, false, args)
	})
	return t.object
}

// dispose gives the stub's reference back.
func (s *stub) dispose() {
	if c := s.take(); c != nil {
		c.Release()
	}
}

// take moves the reference out; later uses of the stub fail. It returns nil if the reference is gone already.
func (s *stub) take() Client {
	if s.gone {
		return nil
	}
	s.gone = true
	c := s.client
	s.client = Broken{Fail(errDisposed)}
	if s.owner != nil {
		delete(s.owner.stubs, s)
	}
	return c
}

func (k *Kit) newProperty(c Client, path []string) *goja.Object {
	return k.callable(k.property.Prototype, &property{c, path}, func(args []goja.Value) goja.Value {
		return k.Start(k.within(c, "Pipeline"), path, false, args)
	})
}

func (k *Kit) newPromise(value goja.Value, a *Answer) *goja.Object {
	p := &promise{value: value, answer: a}
	return k.callable(k.promise.Prototype, p, func(args []goja.Value) goja.Value {
		return k.Start(p.usable(k), nil, false, args)
	})
}

// usable is where calls on the result go.
func (p *promise) usable(k *Kit) Client {
	if p.gone {
		return Broken{Fail(errDisposedPromise)}
	}
	return k.within(p.answer, "JsRpcPromise")
}

// awaited is the promise that then, catch and finally are called on: a property is read when it is first awaited.
func (k *Kit) awaited(v goja.Value) *promise {
	switch s := k.h.Realm.State(v).(type) {
	case *promise:
		return s
	case *property:
		return k.h.Realm.State(k.Start(k.within(s.client, "Pipeline"), s.path, true, nil)).(*promise)
	}
	k.h.Realm.ThrowType("%s", webidl.IllegalInvocation)
	return nil
}

// promiseMembers are then, catch and finally.
func (k *Kit) promiseMembers() []webidl.Member {
	rt := k.h.Runtime()
	proto := rt.Get("Promise").ToObject(rt).Get("prototype").ToObject(rt)
	var list []webidl.Member
	for _, name := range []string{"then", "catch", "finally"} {
		fn, _ := goja.AssertFunction(proto.Get(name))
		list = append(list, func(i *webidl.Interface) {
			f := k.h.Realm.Function(name, func(fc goja.FunctionCall) goja.Value {
				p := k.awaited(fc.This)
				if q := k.h.Realm.PromiseOf(fc.Argument(0)); q != nil { // the engine does what await asks for
					p.waits = q
				}
				v, err := fn(p.value, fc.Arguments...)
				if err != nil {
					panic(err)
				}
				return v
			})
			_ = i.Prototype.DefineDataProperty(name, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		})
	}
	return list
}

func (k *Kit) defineStubs() {
	r := k.h.Realm
	disposer := webidl.SymbolMethod(k.dispose, "[Symbol.dispose]", func(s *stub, _ *webidl.Call) goja.Value {
		s.dispose()
		return nil
	})
	k.stubClass = r.Define(webidl.Spec{
		Name: "RpcStub", Tag: "JsRpcStub",
		Make: func(c *webidl.Call, _ *goja.Object) *goja.Object {
			obj, ok := c.Arg(0).(*goja.Object)
			if !ok {
				c.ThrowNotOfType(0, "Object")
			}
			own, ok := k.stubType(obj)
			if _, again := k.h.Realm.State(obj).(*stub); again {
				own, ok = true, true // a function of this side, whose own members are none: it can only be called
			}
			if !ok {
				c.ThrowType("%s", errStubOf)
			}
			return k.NewStub(k.export(obj, own, nil))
		},
		Members: []webidl.Member{
			webidl.Method("dup", func(s *stub, _ *webidl.Call) goja.Value {
				if s.gone {
					r.ThrowError("Error", "%s", errDisposed)
				}
				d := k.newStub(s.client.Dup())
				d.token = s.token
				return d.object
			}),
			disposer,
		},
	})
	k.promise = r.Define(webidl.Spec{Name: "RpcPromise", Tag: "JsRpcPromise", Members: append(k.promiseMembers(),
		webidl.SymbolMethod(k.dispose, "[Symbol.dispose]", func(p *promise, _ *webidl.Call) goja.Value {
			p.gone = true
			k.disposePromise(p)
			return nil
		}))})
	k.property = r.Define(webidl.Spec{Name: "RpcProperty", Tag: "JsRpcProperty", Members: k.promiseMembers()})
	for _, class := range []*webidl.Interface{k.stubClass, k.promise, k.property} {
		_ = class.Prototype.SetPrototype(k.tail)
	}
}

// disposePromise disposes the result of the call as soon as it is there.
func (k *Kit) disposePromise(p *promise) {
	k.h.Realm.Then(p.value, func(v goja.Value) {
		obj, ok := v.(*goja.Object)
		if !ok {
			return
		}
		if f, ok := goja.AssertFunction(obj.GetSymbol(k.dispose)); ok {
			if _, err := f(obj); err != nil {
				panic(err)
			}
		}
	}, func(goja.Value) {})
}
