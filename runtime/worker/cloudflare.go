package worker

import (
	"github.com/dop251/goja"
)

// defineCloudflare makes the global Cloudflare, whose compatibilityFlags tell every flag of the table by the name that
// turns it on. The object is made on first use: it has some hundred entries.
func (iso *Isolate) defineCloudflare() {
	iso.Host.LazyObject("Cloudflare", func() goja.Value {
		rt := iso.Runtime()
		flags := rt.CreateObject(nil)
		for _, f := range compatFlags {
			on := iso.Flags.Enabled(f.on)
			_ = flags.DefineDataProperty(f.on, rt.ToValue(on), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE)
		}
		o := rt.NewObject()
		_ = o.DefineDataProperty("compatibilityFlags", flags, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		return o
	})
}
