package queuejs

import (
	"github.com/dop251/goja"

	"eddy/queues"
	"eddy/runtime/worker"
)

type failuresKey struct{}

// failing is what a test wants of the next deliveries of a queue.
type failing struct {
	count int
	text  string
}

// FailNext lets the next deliveries of a queue to an isolate fail before the handler is called. Loop goroutine only.
func FailNext(iso *worker.Isolate, queue string, count int, text string) {
	all, _ := iso.Value(failuresKey{}).(map[string]failing)
	if all == nil {
		all = map[string]failing{}
		iso.SetValue(failuresKey{}, all)
	}
	all[queue] = failing{count, text}
}

// failNow throws if a test wants this delivery to fail.
func (e *batchEvent) failNow(iso *worker.Isolate) {
	all, _ := iso.Value(failuresKey{}).(map[string]failing)
	if f := all[e.in.Queue]; f.count > 0 {
		f.count--
		all[e.in.Queue] = f
		iso.Realm.ThrowError("Error", "%s", f.text)
	}
}

// Body is a message's body as a handler sees it. Loop goroutine only.
func Body(iso *worker.Isolate, m *queues.Message) (goja.Value, error) { return decode(iso, m) }
