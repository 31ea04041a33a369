package encoding

import (
	_ "embed"
	"sync"
	"unicode/utf16"

	"github.com/dop251/goja"

	"eddy/runtime/engine/bounds"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/streams"
)

//go:embed js/streams.js
var script string

var program = sync.OnceValue(func() *goja.Program { return bounds.MustCompile("eddy:encoding", script) })

// streamClasses makes TextEncoderStream and TextDecoderStream.
func streamClasses(h *host.Host) *goja.Object {
	rt := h.Runtime()
	v, err := rt.RunProgram(program())
	if err != nil {
		panic(err)
	}
	native := rt.NewObject()
	set := func(name string, v any) {
		if err := native.Set(name, v); err != nil {
			panic(err)
		}
	}
	set("illegalInvocation", webidl.IllegalInvocation)
	set("encoder", h.Realm.Function("encoder", func(goja.FunctionCall) goja.Value { return newEncoder(h) }))
	set("decoder", h.Realm.Function("decoder", func(c goja.FunctionCall) goja.Value { return newStreamDecoder(h, c) }))
	main, _ := goja.AssertFunction(v)
	classes, err := main(goja.Undefined(), streams.Kit(h), native)
	if err != nil {
		panic(err)
	}
	return classes.(*goja.Object)
}

// newEncoder makes a function (chunk, last) that answers with bytes or null. A high surrogate at the end of a chunk
// waits for its other half.
func newEncoder(h *host.Host) goja.Value {
	var lead uint16
	return h.Realm.Function("encode", func(c goja.FunctionCall) goja.Value {
		str := webidl.StringOf(c.Argument(0))
		if c.Argument(1).ToBoolean() {
			if lead == 0 {
				return goja.Null()
			}
			lead = 0
			return h.Realm.Uint8Array([]byte("\uFFFD"))
		}
		if str.Length() == 0 {
			return goja.Null()
		}
		n := str.Length()
		tail := str.CharAt(n - 1)
		if lead == 0 && !isLead(tail) {
			return h.Realm.Uint8Array([]byte(str.String()))
		}
		units := make([]uint16, 0, n+1)
		if lead != 0 {
			units = append(units, lead)
			lead = 0
		}
		for i := range n {
			units = append(units, str.CharAt(i))
		}
		if isLead(tail) {
			lead = tail
			units = units[:len(units)-1]
		}
		if len(units) == 0 {
			return goja.Null()
		}
		return h.Realm.Uint8Array([]byte(string(utf16.Decode(units))))
	})
}

func isLead(u uint16) bool { return 0xD800 <= u && u <= 0xDBFF }

// newStreamDecoder makes an object with the decoder's attributes and decode(chunk, last).
func newStreamDecoder(h *host.Host, c goja.FunctionCall) goja.Value {
	r := h.Realm
	d := construct(r, "TextDecoderStream", c.Argument(0), c.Argument(1))
	o := h.Runtime().NewObject()
	_ = o.Set("encoding", d.name)
	_ = o.Set("fatal", d.fatal)
	_ = o.Set("ignoreBOM", d.ignoreBOM)
	_ = o.Set("decode", r.Function("decode", func(c goja.FunctionCall) goja.Value {
		last := c.Argument(1).ToBoolean()
		var in []byte
		if !last {
			view, ok := r.BufferView(c.Argument(0))
			if !ok {
				r.ThrowType("This TransformStream is being used as a byte stream, but received a value that is not a " +
					"BufferSource.")
			}
			in = view.Bytes()
		}
		text, err := d.decode(in, last)
		if err != nil {
			r.ThrowType("%s", err)
		}
		return h.Runtime().ToValue(text)
	}))
	return o
}
