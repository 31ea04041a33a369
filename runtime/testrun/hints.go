package testrun

import (
	"fmt"

	"github.com/dop251/goja"

	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// withHints gives an isolate the integration's texts for what is not there, from its first module on (TEST-13,
// TEST-18).
func withHints(m worker.Module) worker.Module {
	return func(iso *worker.Isolate) (*goja.Object, error) {
		rpc.Of(iso.Host).Hints()
		iso.OnMissingExport(func(name string) {
			rt := iso.Runtime()
			console := rt.Get("console").ToObject(rt)
			warn, ok := goja.AssertFunction(console.Get("warn"))
			if !ok {
				return // a test has taken it away
			}
			if _, err := warn(console, rt.ToValue(fmt.Sprintf("Attempted to access 'ctx.exports.%[1]s', which was not "+
				"defined for the main Worker.\nCheck that '%[1]s' is exported as an entry-point from the Worker.\nThe "+
				"'@cloudflare/vitest-plugin' integration tries to infer these exports by analyzing the source code of "+
				"the main Worker.\n", name))); err != nil {
				panic(iso.Realm.ErrorValue(err))
			}
		})
		return m(iso)
	}
}
