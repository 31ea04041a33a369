package objectjs

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
	"eddy/runtime/worker"
)

// NamespaceKey returns the unique key of the namespace that v, a binding's value, stands for; false if v is not a
// namespace. Loop goroutine only.
func NamespaceKey(iso *worker.Isolate, v goja.Value) (string, bool) {
	n, ok := webidl.StateOf[*namespace](iso.Realm, v)
	if !ok {
		return "", false
	}
	return n.key, true
}
