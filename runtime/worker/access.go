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
