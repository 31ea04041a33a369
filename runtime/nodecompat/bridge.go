package nodecompat

import (
	"reflect"

	"github.com/dop251/goja"

	"eddy/runtime/webapi/host"
	"eddy/runtime/webidl"
)

var bytesType = reflect.TypeFor[[]byte]()

// bytesOf is the window of an ArrayBuffer or view, shared with JavaScript.
func bytesOf(h *host.Host, v goja.Value) ([]byte, bool) {
	obj, ok := v.(*goja.Object)
	if !ok {
		return nil, false
	}
	if obj.ExportType() == bytesType {
		if b, ok := fastBytes(obj); ok {
			return b, true
		}
	}
	view, ok := h.Realm.BufferView(obj)
	if !ok {
		return nil, false
	}
	return view.Bytes(), true
}

// fastBytes is the window of a Uint8Array; goja panics when its buffer is detached.
func fastBytes(obj *goja.Object) (b []byte, ok bool) {
	defer func() {
		if recover() != nil {
			b, ok = nil, false
		}
	}()
	b, ok = obj.Export().([]byte)
	return b, ok
}

// must be bytes: JavaScript code of this package has checked the argument.
func needBytes(h *host.Host, v goja.Value) []byte {
	b, ok := bytesOf(h, v)
	if !ok {
		throwCode(h, "TypeError", "ERR_INVALID_ARG_TYPE", "The argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.")
	}
	return b
}

// copyBytes is needBytes, copied for use off the loop.
func copyBytes(h *host.Host, v goja.Value) []byte { return append([]byte{}, needBytes(h, v)...) }

// throwCode throws a new error of a global class with Node's code.
func throwCode(h *host.Host, class, code, message string) {
	panic(goja.Value(codedError(h, class, code, message)))
}

func codedError(h *host.Host, class, code, message string) *goja.Object {
	e := h.Realm.NewError(class, message)
	_ = e.Set("code", code)
	return e
}

// table makes an object of Go functions.
func table(h *host.Host, fns map[string]func(goja.FunctionCall) goja.Value) *goja.Object {
	o := h.Runtime().NewObject()
	for name, fn := range fns {
		_ = o.Set(name, h.Realm.Function(name, fn))
	}
	return o
}

// text is an argument as a string value.
func text(v goja.Value) goja.String { return webidl.StringOf(v) }

// number is an argument as an int, or the default when it is undefined.
func number(v goja.Value, def int) int {
	if goja.IsUndefined(v) || goja.IsNull(v) {
		return def
	}
	return int(v.ToInteger())
}

// clamp limits a position to a buffer.
func clamp(n, low, high int) int { return max(low, min(n, high)) }

// given is a value or undefined.
func given(v goja.Value) goja.Value {
	if v == nil {
		return goja.Undefined()
	}
	return v
}

// call calls a JavaScript function and throws on what it throws.
func call(fn goja.Callable, this goja.Value, args ...goja.Value) goja.Value {
	v, err := fn(this, args...)
	if err != nil {
		panic(err)
	}
	return v
}

// background runs work off the loop and calls the JavaScript callback (error, result) with what it gives; done makes
// the result's value on the loop. It holds the scope open until then.
func background(h *host.Host, callback goja.Value, work func() (done func() goja.Value, failure error)) {
	fn, ok := goja.AssertFunction(callback)
	if !ok {
		throwCode(h, "TypeError", "ERR_INVALID_ARG_TYPE", `The "callback" argument must be of type function.`)
	}
	ticket := h.Scope().Ticket()
	go func() {
		done, err := work()
		ticket.Return(func() {
			h.Guard(func() {
				if err != nil {
					call(fn, goja.Undefined(), failureValue(h, err))
					return
				}
				call(fn, goja.Undefined(), goja.Null(), done())
			})
		})
	}()
}

// coded is a failure that becomes an error with a code.
type coded struct{ class, code, message string }

func (e *coded) Error() string { return e.message }

func failureValue(h *host.Host, err error) goja.Value {
	if c, ok := err.(*coded); ok {
		if c.code == "" {
			return h.Realm.NewError(c.class, c.message)
		}
		return codedError(h, c.class, c.code, c.message)
	}
	return h.Realm.NewError("Error", err.Error())
}

// orThrow throws a failure.
func orThrow(h *host.Host, err error) {
	if err != nil {
		panic(failureValue(h, err))
	}
}
