package fetch

import (
	"errors"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// navigator is the state of the navigator object.
type navigator struct{}

// defineNavigator installs navigator, and with it self and origin, the other facts about where a script runs.
func (k *classes) defineNavigator() {
	h, rt := k.h, k.h.Runtime()
	g := rt.GlobalObject()
	if err := errors.Join(g.DefineDataProperty("self", g, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE),
		g.DefineDataProperty("origin", rt.ToValue("null"), goja.FLAG_FALSE, goja.FLAG_TRUE,
			goja.FLAG_TRUE)); err != nil {
		panic(err)
	}
	if h.Flag != nil && !h.Enabled("global_navigator") {
		return
	}
	fact := func(name string, v any) webidl.Member {
		return webidl.Getter(name, func(*navigator, *webidl.Call) goja.Value { return rt.ToValue(v) })
	}
	members := []webidl.Member{
		webidl.Method("sendBeacon", func(_ *navigator, c *webidl.Call) goja.Value { return c.Value(k.sendBeacon(c)) }),
		fact("userAgent", "Cloudflare-Workers"), fact("hardwareConcurrency", 1), fact("platform", ""),
	}
	if h.Flag == nil || h.Enabled("enable_navigator_language") {
		members = append(members, fact("language", "en"),
			webidl.Getter("languages", func(*navigator, *webidl.Call) goja.Value { return rt.NewArray("en") }))
	}
	class := h.Realm.Define(webidl.Spec{Name: "Navigator", Members: members}).Install()
	h.LazyObject("navigator", func() goja.Value { return class.Wrap(&navigator{}) })
}

// waiter is a scope's owner that waits for promises, as ctx.waitUntil does.
type waiter interface{ WaitUntil(v goja.Value) }

// sendBeacon posts without anybody waiting for the answer; the invocation stays until it is there.
func (k *classes) sendBeacon(c *webidl.Call) bool {
	scope := k.h.Loop.Scope()
	if scope == nil {
		return false
	}
	init := c.Runtime().NewObject()
	_ = init.Set("method", "POST")
	if !c.Missing(1) {
		_ = init.Set("body", c.Arg(1))
	}
	answer := Do(k.h, c.Require(0, "string"), init, k.sendNetwork)
	if o, ok := scope.Owner.(waiter); ok {
		o.WaitUntil(answer)
	}
	return true
}
