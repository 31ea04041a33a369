// Package clone holds the isolate's one structured-clone codec and installs structuredClone.
//
// The [structured.Codec] is made by Install, before user code can touch the intrinsics it remembers. Packages that
// know platform objects add delegates to it; whoever stores or sends values (attachments, MessagePort,
// queues, RPC) encodes with it. It belongs to the loop goroutine.
package clone

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/structured"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/events"
)

type codecKey struct{}

// Codec returns the isolate's codec. It makes it now if Install has not run.
func Codec(h *host.Host) *structured.Codec {
	if c, ok := h.Value(codecKey{}).(*structured.Codec); ok {
		return c
	}
	c := structured.New(h.Runtime(), structured.Options{NewDOMException: h.Realm.DOMException})
	h.SetValue(codecKey{}, c)
	return c
}

// Encode writes v. It throws a DataCloneError if v cannot be cloned.
func Encode(h *host.Host, v goja.Value) []byte {
	e, err := Codec(h).Encode(v, options(h))
	if err != nil {
		panic(h.Realm.ErrorValue(err))
	}
	return e.Data
}

// Local is the context of structuredClone.
type Local struct{}

// EncodeIn is Encode for a place that delegates know as context.
func EncodeIn(h *host.Host, v goja.Value, context any) []byte {
	o := options(h)
	o.Context = context
	e, err := Codec(h).Encode(v, o)
	if err != nil {
		panic(h.Realm.ErrorValue(err))
	}
	return e.Data
}

// DecodeIn is Decode of what EncodeIn wrote.
func DecodeIn(h *host.Host, data []byte, context any) goja.Value {
	v, err := Codec(h).Decode(data, structured.DecodeOptions{Context: context})
	if err != nil {
		panic(h.Realm.ErrorValue(err))
	}
	return v
}

// Decode reads what Encode wrote; malformed data throws.
func Decode(h *host.Host, data []byte) goja.Value {
	v, err := Codec(h).Decode(data, structured.DecodeOptions{})
	if err != nil {
		panic(h.Realm.ErrorValue(err))
	}
	return v
}

func options(h *host.Host) structured.EncodeOptions {
	return structured.EncodeOptions{EnhancedErrors: h.Enabled("enhanced_error_serialization")}
}

// Install makes the codec, puts structuredClone on the isolate and lets MessagePort copy by it.
func Install(h *host.Host) {
	c := Codec(h)
	clone := func(v goja.Value, transfer []goja.Value) goja.Value {
		o := options(h)
		o.Context = Local{}
		out, err := c.Clone(v, transfer, o)
		if err != nil {
			panic(h.Realm.ErrorValue(err))
		}
		return out
	}
	events.SetClone(h, func(v goja.Value) goja.Value { return clone(v, nil) })
	fn := h.Realm.Function("structuredClone", func(fc goja.FunctionCall) goja.Value {
		if len(fc.Arguments) == 0 {
			h.Realm.ThrowType("Failed to execute 'structuredClone' on 'ServiceWorkerGlobalScope': parameter 1 is not " +
				"of type 'Value'.")
		}
		var transfer []goja.Value
		if o, ok := fc.Argument(1).(*goja.Object); ok {
			if list, ok := webidl.Option(o, "transfer").(*goja.Object); ok {
				h.Runtime().ForOf(list, func(v goja.Value) bool {
					transfer = append(transfer, v)
					return true
				})
			}
		}
		return clone(fc.Argument(0), transfer)
	})
	if err := h.Runtime().GlobalObject().DefineDataProperty(
		"structuredClone", fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
		panic(err)
	}
}
