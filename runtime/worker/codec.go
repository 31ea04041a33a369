package worker

import (
	"github.com/dop251/goja"

	"eddy/runtime/structured"
)

type codecKey struct{}

// Codec is the isolate's structured clone codec. Packages that know platform objects add themselves to it as hosts
// when they are installed.
func (iso *Isolate) Codec() *structured.Codec {
	c, ok := iso.Value(codecKey{}).(*structured.Codec)
	if !ok {
		c = structured.New(iso.Runtime(), structured.Options{
			NewDOMException: func(name, message string) *goja.Object { return iso.Realm.DOMException(name, message) },
		})
		iso.SetValue(codecKey{}, c)
	}
	return c
}
