package worker

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// Visitor is what ctx.access tells of every request that comes from outside (BIND-164).
type Visitor struct {
	AUD string
	// Identity is a JSON object, "" for none.
	Identity string
}

type accessKey struct{}

// accessContext is ctx.access of an event, undefined where there is none: Access stands in front of the Worker, so that
// only requests from outside that the default entrypoint gets have one.
func (iso *Isolate) accessContext(inv *Invocation) goja.Value {
	a := iso.opts.Access
	if e, ok := inv.Event.(*fetchEvent); a == nil || !ok || e.options.FromWorker || inv.Entrypoint != "" {
		return goja.Undefined()
	}
	class, ok := iso.Value(accessKey{}).(*webidl.Interface)
	if !ok {
		class = iso.Realm.Define(webidl.Spec{Name: "AccessContext", Members: []webidl.Member{
			webidl.Async("getIdentity", func(a *Visitor, _ *webidl.Call) goja.Value { return iso.parse(a.Identity) }),
		}})
		iso.SetValue(accessKey{}, class)
	}
	obj := class.Wrap(a)
	setOwn(obj, "aud", iso.Runtime().ToValue(a.AUD))
	return obj
}

type cacheKey struct{}

// cacheContext is ctx.cache, undefined unless the configuration enables the cache. In front of a local Worker nothing
// is cached, so a purge has nothing to do and succeeds.
func (iso *Isolate) cacheContext() goja.Value {
	if !iso.opts.Cache {
		return goja.Undefined()
	}
	if obj, ok := iso.Value(cacheKey{}).(*goja.Object); ok {
		return obj
	}
	purge := func(_ *cacheKey, c *webidl.Call) goja.Value {
		if _, ok := c.Arg(0).(*goja.Object); !ok {
			c.ThrowNotOfType(0, "CachePurgeOptions")
		}
		o := c.Runtime().NewObject()
		setOwn(o, "success", c.Value(true))
		setOwn(o, "errors", c.Runtime().NewArray())
		return o
	}
	obj := iso.Realm.Define(webidl.Spec{Name: "CacheContext", Members: []webidl.Member{
		webidl.Async("purge", purge), webidl.Async("invalidate", purge)}}).Wrap(&cacheKey{})
	iso.SetValue(cacheKey{}, obj)
	return obj
}
