package ecma

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/gojainternals"
)

// installBuffers adds what ArrayBuffer and DataView lack: transfer, detached, and resizable buffers (resizable.go).
func (e *Engine) installBuffers() {
	proto := e.object("ArrayBuffer", "prototype")
	receiver := func(call goja.FunctionCall, method string) (*goja.Object, goja.ArrayBuffer) {
		if o, ok := e.isBuffer(call.This); ok && !e.isShared(o) {
			return o, o.Export().(goja.ArrayBuffer)
		}
		e.b.Throw("TypeError",
			"Method ArrayBuffer.prototype."+method+" called on incompatible receiver "+e.Render(call.This))
		return nil, goja.ArrayBuffer{}
	}
	transfer := func(name string, keep bool) func(goja.FunctionCall) goja.Value {
		return func(call goja.FunctionCall) goja.Value {
			o, b := receiver(call, name)
			size := len(b.Bytes())
			if v := call.Argument(0); !goja.IsUndefined(v) {
				switch size = e.toLength(v); {
				case size < 0:
					e.b.Throw("RangeError", "Invalid array buffer length")
				case size > maxIndex:
					e.b.Throw("RangeError", "ArrayBuffer.prototype."+name+": Invalid length parameter")
				}
			}
			if b.Detached() {
				e.b.Throw("TypeError", "Cannot perform ArrayBuffer.prototype."+name+" on a detached ArrayBuffer")
			}
			data := b.Bytes()
			if s := e.buffers.state(o); s != nil && keep {
				if size > s.max {
					e.b.Throw("RangeError", "Invalid array buffer length")
				}
				b.Detach()
				next := e.rt.ToValue(e.rt.NewArrayBuffer(nil)).(*goja.Object)
				e.makeResizable(next, data, s.max)
				e.resize(next, e.buffers.state(next), size)
				return next
			}
			if size > builtin.MaxBuffer {
				e.b.Throw("RangeError", "Array buffer allocation failed")
			}
			if size != len(data) || cap(data) != len(data) {
				old := data
				data = make([]byte, size)
				copy(data, old)
			}
			b.Detach()
			return e.rt.ToValue(e.rt.NewArrayBuffer(data))
		}
	}
	if n, ok := e.in.Native(proto.Get("slice").(*goja.Object)); ok {
		slice := *n.Call
		*n.Call = func(call goja.FunctionCall) goja.Value {
			if o, ok := e.isBuffer(call.This); ok && o.Export().(goja.ArrayBuffer).Detached() {
				e.b.Throw("TypeError", "Cannot perform ArrayBuffer.prototype.slice on a detached ArrayBuffer")
			}
			return slice(call)
		}
	}
	e.method(proto, "transfer", 0, transfer("transfer", true))
	e.method(proto, "transferToFixedLength", 0, transfer("transferToFixedLength", false))
	e.method(proto, "resize", 1, func(call goja.FunctionCall) goja.Value {
		o, b := receiver(call, "resize")
		s := e.buffers.state(o)
		if s == nil {
			e.b.Throw("TypeError", "Method ArrayBuffer.prototype.resize called on incompatible receiver #<ArrayBuffer>")
		}
		n := e.toLength(call.Argument(0))
		if b.Detached() {
			e.b.Throw("TypeError", "Cannot perform ArrayBuffer.prototype.resize on a detached ArrayBuffer")
		}
		if n < 0 || n > s.max {
			e.b.Throw("RangeError", "ArrayBuffer.prototype.resize: Invalid length parameter")
		}
		e.resize(o, s, n)
		return goja.Undefined()
	})
	e.b.Getter(proto, "detached", func(call goja.FunctionCall) goja.Value {
		_, b := receiver(call, "detached")
		return e.rt.ToValue(b.Detached())
	})
	e.b.Getter(proto, "resizable", func(call goja.FunctionCall) goja.Value {
		o, _ := receiver(call, "resizable")
		return e.rt.ToValue(e.buffers.state(o) != nil)
	})
	e.b.Getter(proto, "maxByteLength", func(call goja.FunctionCall) goja.Value {
		o, b := receiver(call, "maxByteLength")
		if s := e.buffers.state(o); s != nil && !b.Detached() {
			return e.rt.ToValue(s.max)
		}
		return e.rt.ToValue(len(b.Bytes()))
	})
	if n, ok := e.in.Native(e.object("ArrayBuffer")); ok {
		*n.Construct = e.constructResizable(*n.Construct)
	}
	e.watchViews()

	view := e.object("DataView", "prototype")
	get16, _ := goja.AssertFunction(view.Get("getUint16"))
	set16, _ := goja.AssertFunction(view.Get("setUint16"))
	e.method(view, "getFloat16", 1, func(call goja.FunctionCall) goja.Value {
		v, err := get16(call.This, call.Arguments...)
		if err != nil {
			panic(err)
		}
		return e.rt.ToValue(gojainternals.FromFloat16(uint16(v.ToInteger())))
	})
	e.method(view, "setFloat16", 2, func(call goja.FunctionCall) goja.Value {
		h := gojainternals.ToFloat16(e.b.ToNumber(call.Argument(1)))
		v, err := set16(call.This, call.Argument(0), e.rt.ToValue(int(h)), call.Argument(2))
		if err != nil {
			panic(err)
		}
		return v
	})
}
