package service

import (
	"github.com/dop251/goja"

	"eddy/runtime/worker"
)

// SocketsModule is the name of the module [Sockets] makes.
const SocketsModule = "cloudflare:sockets"

// Sockets makes cloudflare:sockets, so that what imports it runs. TCP is not served: connect says so.
func Sockets(iso *worker.Isolate) (*goja.Object, error) {
	ns := iso.Runtime().NewObject()
	err := ns.Set("connect", iso.Realm.Function("connect", func(goja.FunctionCall) goja.Value {
		iso.Realm.ThrowError("Error", "connect() of cloudflare:sockets is not served by eddy.")
		return nil
	}))
	return ns, err
}
