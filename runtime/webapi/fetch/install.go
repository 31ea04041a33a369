package fetch

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// classes are the classes and intrinsics of one isolate.
type classes struct {
	h                                     *host.Host
	headers, bodyClass, request, response *webidl.Interface
	blob, file, formData                  *webidl.Interface
	walkers                               *webidl.Interface
	iteratorProto                         *goja.Object
	jsonParse, jsonStringify              goja.Callable
	upgrader                              Upgrader
	network                               Network
	resizer                               ImageResizer
	zone                                  string
	events                                func(*eventloop.Scope) Transport
}

type classesKey struct{}

func of(h *host.Host) *classes {
	k, ok := h.Value(classesKey{}).(*classes)
	if !ok {
		panic("fetch: used before Install")
	}
	return k
}

// Install puts the Fetch standard and what stands on it on the isolate. Packages events, url and streams must be
// installed before.
func Install(h *host.Host) {
	k := &classes{h: h, iteratorProto: iteratorPrototype(h.Runtime())}
	h.SetValue(classesKey{}, k)
	json := h.Runtime().Get("JSON").ToObject(h.Runtime())
	k.jsonParse, _ = goja.AssertFunction(json.Get("parse"))
	k.jsonStringify, _ = goja.AssertFunction(json.Get("stringify"))
	k.defineHeaders()
	k.defineBody()
	k.defineBlob()
	k.defineFormData()
	k.defineRequest()
	k.defineResponse()
	k.defineFetch()
	k.defineNavigator()
}
