package analytics

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
	"eddy/runtime/worker"
)

// Binding is an Analytics Engine binding: env[Key].
type Binding struct {
	Key string
	// First, if set, is called when a data point is written, so that somebody can say once that nothing is kept. Loop
	// goroutine.
	First func()
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// dataset is the state of a dataset.
type dataset struct{ Binding }

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	type key struct{}
	class, ok := iso.Value(key{}).(*webidl.Interface)
	if !ok {
		class = iso.Realm.Define(webidl.Spec{Name: "LocalAnalyticsEngineDataset", Members: []webidl.Member{
			webidl.Method("writeDataPoint", func(d *dataset, _ *webidl.Call) goja.Value {
				if d.First != nil {
					d.First()
				}
				return nil
			}),
		}})
		iso.SetValue(key{}, class)
	}
	return class.Wrap(&dataset{b}), nil
}
