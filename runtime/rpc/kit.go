package rpc

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/clone"
)

// Kit is RPC on one isolate. Loop goroutine only.
type Kit struct {
	h *host.Host

	target, stubClass, promise, property, fetcher, loopback *webidl.Interface

	errorProto, objectProto *goja.Object
	hasOwn                  goja.Callable
	dispose, restore        *goja.Symbol
	noDispose               *goja.Object // the disposer of results without stubs
	tail                    *goja.Object // end of the prototype chain of everything with wildcard members

	// hints says that a member that an entrypoint or object lacks is told as tests are told it.
	hints bool

	scopes map[*eventloop.Scope]*scopeState
	// directories make stubs of stored or received tokens.
	directories []func(t *Token) (*goja.Object, bool)
}

type kitKey struct{}

// Of is the isolate's Kit.
func Of(h *host.Host) *Kit {
	k, ok := h.Value(kitKey{}).(*Kit)
	if !ok {
		panic("rpc: used before Install")
	}
	return k
}

// Install makes the classes and lets the isolate's codec carry stubs, streams and messages of HTTP. It must run after
// the web APIs and before user code; a second call gives the same Kit.
func Install(h *host.Host) *Kit {
	if k, ok := h.Value(kitKey{}).(*Kit); ok {
		return k
	}
	rt := h.Runtime()
	k := &Kit{h: h, scopes: map[*eventloop.Scope]*scopeState{}, restore: goja.NewSymbol("cloudflare:workers:restore")}
	proto := func(name string) *goja.Object { return rt.Get(name).ToObject(rt).Get("prototype").ToObject(rt) }
	k.errorProto, k.objectProto = proto("Error"), proto("Object")
	k.hasOwn, _ = goja.AssertFunction(k.objectProto.Get("hasOwnProperty"))
	if sym, ok := rt.Get("Symbol").ToObject(rt).Get("dispose").(*goja.Symbol); ok {
		k.dispose = sym
	} else {
		k.dispose = goja.NewSymbol("Symbol.dispose")
	}
	k.noDispose = h.Realm.Function("dispose", func(goja.FunctionCall) goja.Value { return goja.Undefined() })
	k.defineTail()
	k.defineTarget()
	k.defineStubs()
	k.defineFetcher()
	clone.Codec(h).AddDelegate(rpcDelegate{k})
	h.SetValue(kitKey{}, k)
	return k
}

// Exports are what the package adds to cloudflare:workers, by name.
func (k *Kit) Exports() map[string]*goja.Object {
	return map[string]*goja.Object{
		"RpcTarget": k.target.Constructor, "RpcStub": k.stubClass.Constructor, "RpcPromise": k.promise.Constructor,
		"RpcProperty": k.property.Constructor, "ServiceStub": k.fetcher.Constructor,
	}
}

// Host is the isolate's handle.
func (k *Kit) Host() *host.Host { return k.h }

// defineTarget makes the RpcTarget class: a marker to extend.
func (k *Kit) defineTarget() {
	k.target = k.h.Realm.Define(webidl.Spec{
		Name: "RpcTarget",
		// Instances carry no state: what counts is the prototype chain, also that of a Proxy.
		Make: func(*webidl.Call, *goja.Object) *goja.Object { return nil },
	})
}

// isTarget tells whether RpcTarget is among the prototypes of obj, as a Proxy tells them.
func (k *Kit) isTarget(obj *goja.Object) bool {
	for p := obj.Prototype(); p != nil; p = p.Prototype() {
		if p == k.target.Prototype {
			return true
		}
	}
	return false
}

// isFunction tells whether obj is a function that may become a stub. The callable objects of this package are not.
func (k *Kit) isFunction(obj *goja.Object) bool {
	if _, ok := goja.AssertFunction(obj); !ok {
		return false
	}
	_, ours := k.h.Realm.State(obj).(caller)
	return !ours
}

// stubType says whether a value may be wrapped in a stub, and whether its own properties are then reachable.
func (k *Kit) stubType(obj *goja.Object) (own, ok bool) {
	switch {
	case obj.Prototype() == k.objectProto:
		return true, true
	case k.isTarget(obj):
		return false, true
	case k.isFunction(obj):
		return true, true
	}
	return false, false
}
