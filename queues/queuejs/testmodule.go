package queuejs

import (
	_ "embed"

	"github.com/dop251/goja"

	"eddy/queues"
	"eddy/runtime/worker"
)

// TestModuleName is the specifier of the product's test module. This runtime has those of its exports that concern
// queues, and the contexts that go with them (C-32).
const TestModuleName = "cloudflare:test"

//go:embed testmodule.js
var testModuleSource string

// TestModule makes the module of an isolate.
func TestModule(iso *worker.Isolate) (*goja.Object, error) {
	host := iso.Runtime().NewObject()
	_ = host.Set("batch", iso.Realm.Function("batch", func(fc goja.FunctionCall) goja.Value {
		b := &batch{iso: iso, queue: fc.Argument(0).String(), firstRetryAll: true}
		iso.Runtime().ForOf(fc.Argument(1), func(item goja.Value) bool {
			givenMessage(b, givenItem(iso, item))
			return true
		})
		return b.controller(queues.Metrics{})
	}))
	_ = host.Set("result", iso.Realm.Function("result", func(fc goja.FunctionCall) goja.Value {
		b, ok := iso.Realm.State(fc.Argument(0)).(*batch)
		if !ok {
			iso.Realm.ThrowType("Failed to execute 'getQueueResult': parameter 1 is not of type 'MessageBatch'.")
		}
		return b.result(false)
	}))
	ns, err := iso.Internal(TestModuleName, testModuleSource, host)
	if err != nil {
		return nil, err
	}
	return ns.ToObject(iso.Runtime()), nil
}
