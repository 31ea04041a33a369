package encoding

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
)

// Install defines TextEncoder, TextDecoder, TextEncoderStream, TextDecoderStream, atob and btoa.
func Install(h *host.Host) {
	h.Lazy("TextEncoder", func() goja.Value { return defineTextEncoder(h.Realm).Constructor })
	h.Lazy("TextDecoder", func() goja.Value { return defineTextDecoder(h.Realm).Constructor })
	var classes *goja.Object
	for _, name := range []string{"TextEncoderStream", "TextDecoderStream"} {
		h.Lazy(name, func() goja.Value {
			if classes == nil {
				classes = streamClasses(h)
			}
			return classes.Get(name)
		})
	}
	g := h.Runtime().GlobalObject()
	atob, btoa := defineBase64(h.Realm)
	for name, f := range map[string]*goja.Object{"atob": atob, "btoa": btoa} {
		if err := g.DefineDataProperty(name, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			panic(err)
		}
	}
}
