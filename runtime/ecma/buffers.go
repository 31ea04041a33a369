package ecma

import (
	"math"

	"github.com/dop251/goja"
)

// installBuffers adds what ArrayBuffer and DataView lack. goja's views have a fixed length, so a buffer that is really
// resizable is refused; transfer and detached are whole.
func (e *Engine) installBuffers() {
	proto := e.object("ArrayBuffer", "prototype")
	self := func(call goja.FunctionCall, method string) goja.ArrayBuffer {
		if o, ok := call.This.(*goja.Object); ok {
			if b, ok := o.Export().(goja.ArrayBuffer); ok {
				return b
			}
		}
		e.throw("TypeError", "Method ArrayBuffer.prototype."+method+" called on incompatible receiver "+e.render(call.This))
		return goja.ArrayBuffer{}
	}
	transfer := func(name string) func(goja.FunctionCall) goja.Value {
		return func(call goja.FunctionCall) goja.Value {
			b := self(call, name)
			size := len(b.Bytes())
			if v := call.Argument(0); !goja.IsUndefined(v) {
				f := e.toNumber(v)
				if f != f {
					f = 0
				}
				if f = math.Trunc(f); f < 0 || f > math.MaxInt32 {
					e.throw("RangeError", "Invalid array buffer length")
				}
				size = int(f)
			}
			if b.Detached() {
				e.throw("TypeError", "Cannot perform ArrayBuffer.prototype."+name+" on a detached ArrayBuffer")
			}
			data := b.Bytes()
			if size != len(data) {
				data = make([]byte, size)
				copy(data, b.Bytes())
			}
			b.Detach()
			return e.rt.ToValue(e.rt.NewArrayBuffer(data))
		}
	}
	e.method(proto, "transfer", 0, transfer("transfer"))
	e.method(proto, "transferToFixedLength", 0, transfer("transferToFixedLength"))
	e.method(proto, "resize", 1, func(call goja.FunctionCall) goja.Value {
		self(call, "resize")
		e.throw("TypeError", "Method ArrayBuffer.prototype.resize called on incompatible receiver #<ArrayBuffer>")
		return nil
	})
	e.getter(proto, "detached", func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(self(call, "detached").Detached())
	})
	e.getter(proto, "resizable", func(call goja.FunctionCall) goja.Value {
		self(call, "resizable")
		return e.rt.ToValue(false)
	})
	e.getter(proto, "maxByteLength", func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(len(self(call, "maxByteLength").Bytes()))
	})
	if n, ok := e.in.native(e.object("ArrayBuffer")); ok {
		construct := *n.construct
		*n.construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
			if len(args) > 1 {
				if o, ok := args[1].(*goja.Object); ok {
					if max := o.Get("maxByteLength"); max != nil && !goja.IsUndefined(max) {
						e.throw("RangeError", "Resizable ArrayBuffer (maxByteLength) is not supported by this runtime")
					}
				}
			}
			return construct(args, newTarget)
		}
	}

	view := e.object("DataView", "prototype")
	get16, _ := goja.AssertFunction(view.Get("getUint16"))
	set16, _ := goja.AssertFunction(view.Get("setUint16"))
	e.method(view, "getFloat16", 1, func(call goja.FunctionCall) goja.Value {
		v, err := get16(call.This, call.Arguments...)
		if err != nil {
			panic(err)
		}
		return e.rt.ToValue(float16(uint16(v.ToInteger())))
	})
	e.method(view, "setFloat16", 2, func(call goja.FunctionCall) goja.Value {
		h := toFloat16(e.toNumber(call.Argument(1)))
		v, err := set16(call.This, call.Argument(0), e.rt.ToValue(int(h)), call.Argument(2))
		if err != nil {
			panic(err)
		}
		return v
	})
}

func (e *Engine) getter(o *goja.Object, name string, f func(goja.FunctionCall) goja.Value) {
	must(o.DefineAccessorProperty(name, e.function("get "+name, 0, f), nil, goja.FLAG_TRUE, goja.FLAG_FALSE))
}
