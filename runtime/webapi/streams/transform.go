package streams

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
)

// Transform is a byte transform in Go. Its methods run on the loop and must not block. They may panic with a goja
// value to throw that instead of an Error with the text of err.
type Transform interface {
	// Transform takes one chunk, which it must not keep, and gives out what is ready, possibly nothing.
	Transform(chunk []byte) ([]byte, error)
	// Flush gives out what is left at the end.
	Flush() ([]byte, error)
}

// NewTransform makes a TransformStream that takes and gives bytes. Writes never wait; what comes out is kept until it
// is read.
func NewTransform(h *host.Host, t Transform) *goja.Object {
	b := get(h)
	return b.call(b.transform, Algorithms(h, t)).(*goja.Object)
}

// Algorithms is the object that Kit's setUpByteTransform takes, for t.
func Algorithms(h *host.Host, t Transform) *goja.Object {
	b := get(h)
	o := b.rt.NewObject()
	emit := func(enqueue goja.Value, out []byte, err error) {
		if len(out) > 0 {
			f, _ := goja.AssertFunction(enqueue)
			b.call(f, h.Realm.Uint8Array(out))
		}
		if err != nil {
			h.Realm.Throw(h.Realm.ErrorValue(err))
		}
	}
	_ = o.Set("run", h.Realm.Function("run", func(c goja.FunctionCall) goja.Value {
		view, _ := h.Realm.BufferView(c.Argument(0)) // always a Uint8Array of its own
		out, err := t.Transform(view.Bytes())
		emit(c.Argument(1), out, err)
		return goja.Undefined()
	}))
	_ = o.Set("flush", h.Realm.Function("flush", func(c goja.FunctionCall) goja.Value {
		out, err := t.Flush()
		emit(c.Argument(0), out, err)
		return goja.Undefined()
	}))
	return o
}
