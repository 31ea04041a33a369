package workflowjs

import (
	"github.com/dop251/goja"

	"eddy/runtime/worker"
)

// Exports adds workflows to ctx.exports, under their keys (FLOW-118). Pass it in worker.Options.Install, behind
// Install.
func Exports(list []Binding) func(iso *worker.Isolate) error {
	return func(iso *worker.Isolate) error {
		iso.AddCtxExports(func(iso *worker.Isolate, into *goja.Object) {
			for _, b := range list {
				v, err := b.Install(iso)
				if err != nil {
					panic(iso.Realm.ErrorValue(err))
				}
				_ = into.DefineDataProperty(b.Key, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
			}
		})
		return nil
	}
}
