package streams

import (
	"embed"
	"strings"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/engine/bounds"
	"eddy/runtime/engine/host"
)

//go:embed js/*.js
var scripts embed.FS

// program is the whole JavaScript half as one function of the native object.
var program = sync.OnceValue(func() *goja.Program {
	entries, err := scripts.ReadDir("js")
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	b.WriteString("(function (native) { 'use strict';\n")
	for _, e := range entries { // in the order of their numbers
		text, err := scripts.ReadFile("js/" + e.Name())
		if err != nil {
			panic(err)
		}
		b.Write(text)
	}
	b.WriteString("})")
	return bounds.MustCompile("eddy:streams", b.String())
})

var globals = []string{
	"ReadableStream", "ReadableStreamDefaultReader", "ReadableStreamBYOBReader", "ReadableStreamDefaultController",
	"ReadableByteStreamController", "ReadableStreamBYOBRequest", "WritableStream", "WritableStreamDefaultWriter",
	"WritableStreamDefaultController", "TransformStream", "TransformStreamDefaultController",
	"ByteLengthQueuingStrategy", "CountQueuingStrategy", "IdentityTransformStream", "FixedLengthStream",
}

type stateKey struct{}

// Install defines the globals; the script behind them runs on first use.
func Install(h *host.Host) {
	names := globals
	if h.Enabled("expose_draining_reader") {
		names = append(names[:len(names):len(names)], "ReadableStreamDrainingReader")
	}
	for _, name := range names {
		h.Lazy(name, func() goja.Value { return Class(h, name) })
	}
}

// Class is the constructor of that name ("TransformStream").
func Class(h *host.Host, name string) *goja.Object {
	return get(h).classes.Get(name).(*goja.Object)
}

// Kit is for a package that makes classes of its own on top of TransformStream in JavaScript. It is an object with
// TransformStream, publish(Class), secret, setUpTransform(record, {run, flush}) and setUpByteTransform, which differ in
// the readable side. A subclass calls super(secret, (record) => setUpTransform(record, …)).
func Kit(h *host.Host) *goja.Object { return get(h).kit }

// get is the package's state on h; the first call runs the script.
func get(h *host.Host) *bridge {
	if b, ok := h.Value(stateKey{}).(*bridge); ok {
		return b
	}
	b := newBridge(h)
	h.SetValue(stateKey{}, b)
	return b
}
