package service

import (
	"encoding/hex"
	"io"
	"strconv"

	"github.com/dop251/goja"

	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// defineVirtualHosts adds ctx.mapVirtualHost (flag experimental): a name, always the same for one stub, under
// .workers.alt. Nothing listens under such names: connecting to one fails as for any unknown host.
func defineVirtualHosts(iso *worker.Isolate) {
	if !iso.Flags.Enabled("experimental") {
		return
	}
	hosts := map[goja.Value]string{}
	k := rpc.Of(iso.Host)
	fn := iso.Realm.Function("mapVirtualHost", func(fc goja.FunctionCall) goja.Value {
		stub := fc.Argument(0)
		if _, ok := k.FetcherOf(stub); !ok {
			iso.Realm.ThrowType(
				"Failed to execute 'mapVirtualHost' on 'ExecutionContext': parameter 1 is not of type 'Fetcher'.")
		}
		if hosts[stub] == "" {
			var b [16]byte
			if _, err := io.ReadFull(iso.Host.Rand(), b[:]); err != nil {
				panic(iso.Realm.ErrorValue(err))
			}
			hosts[stub] = hex.EncodeToString(b[:]) + ".workers.alt:" + strconv.FormatInt(fc.Argument(1).ToInteger(), 10)
		}
		return iso.Runtime().ToValue(hosts[stub])
	})
	_ = iso.ContextPrototype().DefineDataProperty("mapVirtualHost", fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}
