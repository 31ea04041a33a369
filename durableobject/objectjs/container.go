package objectjs

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// containerOf is ctx.container: undefined but for a class that the configuration gives a container (BIND-150). None is
// ever run: each use says so, and the object can be made and does its other work.
func (k *kit) containerOf(i *instance) goja.Value {
	n := i.h.ns
	n.mu.Lock()
	class, has := n.class.Name, n.class.Container && i.h.facetClass == nil
	n.mu.Unlock()
	if !has {
		return goja.Undefined()
	}
	if k.container == nil {
		refuse := func(class *string, _ *webidl.Call) goja.Value {
			k.iso.Realm.ThrowError("Error", "The container of the class %s cannot be used: containers need an "+
				"engine such "+
				"as Docker, and do not run here; see docs/gaps.md.", *class)
			return nil
		}
		members := []webidl.Member{webidl.Getter("running", func(*string, *webidl.Call) goja.Value {
			return k.iso.Runtime().ToValue(false)
		})}
		for _, name := range []string{"start", "signal", "getTcpPort", "setInactivityTimeout", "interceptOutboundHttp",
			"interceptAllOutboundHttp", "interceptOutboundHttps"} {
			members = append(members, webidl.Method(name, refuse))
		}
		for _, name := range []string{"monitor", "destroy", "exec"} {
			members = append(members, webidl.Async(name, refuse))
		}
		k.container = k.iso.Realm.Define(webidl.Spec{Name: "Container", Members: members})
	}
	return k.container.Wrap(&class)
}
