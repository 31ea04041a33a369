package objectjs

import (
	"github.com/dop251/goja"
)

// newFacets is ctx.facets. Facets are not served: every use says so.
func (k *kit) newFacets(*instance) *goja.Object {
	rt := k.iso.Runtime()
	obj := rt.NewObject()
	for _, name := range []string{"get", "abort", "delete"} {
		_ = obj.Set(name, k.iso.Realm.Function(name, func(goja.FunctionCall) goja.Value {
			k.iso.Realm.ThrowError("Error", "Facets of Durable Objects (ctx.facets.%s) are not served by eddy.", name)
			return nil
		}))
	}
	return obj
}
