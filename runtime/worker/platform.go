package worker

import (
	_ "embed"

	"github.com/dop251/goja"

	"eddy/runtime/nodecompat"
	"eddy/runtime/webapi/sockets"
)

//go:embed platform.js
var platformSource string

// BuiltinModules are the specifiers of the virtual modules that this package itself provides (RT2).
func BuiltinModules() []string {
	return []string{
		"cloudflare:email", "cloudflare:node", "cloudflare:pipelines", "cloudflare:sockets", "cloudflare:workers",
		"cloudflare:workflows"}
}

// platformModule makes one of the small modules.
func platformModule(part string) Module {
	return func(iso *Isolate) (*goja.Object, error) {
		parts, err := iso.Internal("cloudflare:"+part, platformSource, iso.WorkerEntrypointClass())
		if err != nil {
			return nil, err
		}
		return parts.ToObject(iso.Runtime()).Get(part).ToObject(iso.Runtime()), nil
	}
}

func nodeModule(iso *Isolate) (*goja.Object, error) { return nodecompat.CloudflareNode(iso.Host) }

func socketsModule(iso *Isolate) (*goja.Object, error) { return sockets.Module(iso.Host), nil }
