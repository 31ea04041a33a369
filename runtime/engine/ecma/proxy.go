package ecma

import (
	"fmt"

	"github.com/dop251/goja"
)

// installProxy puts hooks under Proxy and Proxy.revocable, so that the traps of a call get arguments of their own and
// proxies that lead to each other end.
func (e *Engine) installProxy() error {
	ctor := e.object("Proxy")
	n, ok := e.in.Native(ctor)
	if !ok {
		return fmt.Errorf("ecma: goja's Proxy is no native function")
	}
	construct := *n.Construct
	*n.Construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
		o := construct(args, newTarget)
		e.in.PrepareProxy(o)
		return o
	}
	n, ok = e.in.Native(ctor.Get("revocable").(*goja.Object))
	if !ok {
		return fmt.Errorf("ecma: goja's Proxy.revocable is no native function")
	}
	revocable := *n.Call
	*n.Call = func(call goja.FunctionCall) goja.Value {
		pair := revocable(call)
		e.in.PrepareProxy(pair.(*goja.Object).Get("proxy").(*goja.Object))
		return pair
	}
	return nil
}
