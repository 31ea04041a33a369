package nodecompat

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/sockets"
)

// node:net and node:tls stand on cloudflare:sockets, as on the platform.
var _ = register("sockets", func(h *host.Host) goja.Value { return sockets.Module(h) })
