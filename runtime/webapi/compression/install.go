package compression

import (
	_ "embed"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/engine/bounds"
	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/streams"
)

//go:embed js/compression.js
var script string

var program = sync.OnceValue(func() *goja.Program { return bounds.MustCompile("eddy:compression", script) })

// Install defines CompressionStream and DecompressionStream.
func Install(h *host.Host) {
	var classes *goja.Object
	for _, name := range []string{"CompressionStream", "DecompressionStream"} {
		h.Lazy(name, func() goja.Value {
			if classes == nil {
				classes = define(h)
			}
			return classes.Get(name)
		})
	}
}

func define(h *host.Host) *goja.Object {
	rt := h.Runtime()
	v, err := rt.RunProgram(program())
	if err != nil {
		panic(err)
	}
	native := rt.NewObject()
	for name, make := range map[string]func(format string) streams.Transform{
		"compress": func(f string) streams.Transform { return newCompressor(f) },
		"decompress": func(f string) streams.Transform {
			return &decompressor{container: containers[f](), fail: h.Realm.TypeError}
		},
	} {
		f := h.Realm.Function(name, func(c goja.FunctionCall) goja.Value {
			return streams.Algorithms(h, make(c.Argument(0).String()))
		})
		if err := native.Set(name, f); err != nil {
			panic(err)
		}
	}
	main, _ := goja.AssertFunction(v)
	classes, err := main(goja.Undefined(), streams.Kit(h), native)
	if err != nil {
		panic(err)
	}
	return classes.(*goja.Object)
}
