package streams

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// promises sets what the script makes promises with: without an executor and the two functions that it gets, and
// without promises that nobody sees.
func (b *bridge) promises(set func(name string, v any)) {
	rt := b.rt
	in, err := gojainternals.Read()
	if err != nil {
		panic(err)
	}
	settle := func(rejects bool) func(goja.FunctionCall) goja.Value {
		return func(c goja.FunctionCall) goja.Value {
			in.Settle(rt, c.Argument(0).(*goja.Object), rejects, c.Argument(1))
			return goja.Undefined()
		}
	}
	settled := func(rejects bool) func(goja.FunctionCall) goja.Value {
		return func(c goja.FunctionCall) goja.Value {
			p := in.NewPromise(rt)
			in.Settle(rt, p, rejects, c.Argument(0))
			return p
		}
	}
	set("pending", func(goja.FunctionCall) goja.Value { return in.NewPromise(rt) })
	set("resolveWith", settle(false))
	set("rejectWith", settle(true))
	set("resolved", settled(false))
	set("rejected", settled(true))
	set("react", func(c goja.FunctionCall) goja.Value {
		in.React(rt, c.Argument(0).(*goja.Object), c.Argument(1), c.Argument(2))
		return goja.Undefined()
	})
	set("then", func(c goja.FunctionCall) goja.Value {
		return in.Derive(rt, c.Argument(0).(*goja.Object), c.Argument(1), c.Argument(2))
	})
	set("handled", func(c goja.FunctionCall) goja.Value {
		o := c.Argument(0).(*goja.Object)
		in.Handle(rt, o)
		return o
	})
}
