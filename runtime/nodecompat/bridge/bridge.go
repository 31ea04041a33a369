// Package bridge is what the Go halves of the node: modules share: arguments and results on their way between
// JavaScript and Go, errors with Node's codes, and work that takes long, off the loop. It is a package because
// nodecompat and nodecrypto stand on it both. Everything here belongs to the loop goroutine.
package bridge

import (
	"reflect"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

var bytesType = reflect.TypeFor[[]byte]()

// BytesOf is the window of an ArrayBuffer or view, shared with JavaScript.
func BytesOf(h *host.Host, v goja.Value) ([]byte, bool) {
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

// NeedBytes is BytesOf for an argument that JavaScript has checked.
func NeedBytes(h *host.Host, v goja.Value) []byte {
	b, ok := BytesOf(h, v)
	if !ok {
		ThrowCode(h, "TypeError", "ERR_INVALID_ARG_TYPE",
			"The argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.")
	}
	return b
}

// CopyBytes is NeedBytes, copied for use off the loop.
func CopyBytes(h *host.Host, v goja.Value) []byte { return append([]byte{}, NeedBytes(h, v)...) }

// ThrowCode throws a new error of a global class with Node's code.
func ThrowCode(h *host.Host, class, code, message string) {
	panic(goja.Value(CodedError(h, class, code, message)))
}

// CodedError is a new error of a global class with Node's code.
func CodedError(h *host.Host, class, code, message string) *goja.Object {
	e := h.Realm.NewError(class, message)
	_ = e.Set("code", code)
	return e
}

// Table makes an object of Go functions.
func Table(h *host.Host, fns map[string]func(goja.FunctionCall) goja.Value) *goja.Object {
	o := h.Runtime().NewObject()
	for name, fn := range fns {
		_ = o.Set(name, h.Realm.Function(name, fn))
	}
	return o
}

// Text is an argument as a string value.
func Text(v goja.Value) goja.String { return webidl.StringOf(v) }

// Number is an argument as an int, or the default when it is undefined.
func Number(v goja.Value, def int) int {
	if goja.IsUndefined(v) || goja.IsNull(v) {
		return def
	}
	return int(v.ToInteger())
}

// Clamp limits a position to a buffer.
func Clamp(n, low, high int) int { return max(low, min(n, high)) }

// Given is v, or undefined if v is nil.
func Given(v goja.Value) goja.Value {
	if v == nil {
		return goja.Undefined()
	}
	return v
}

// Call calls a JavaScript function and throws on what it throws.
func Call(fn goja.Callable, this goja.Value, args ...goja.Value) goja.Value {
	v, err := fn(this, args...)
	if err != nil {
		panic(err)
	}
	return v
}

// Background runs work off the loop and then calls the JavaScript callback (error, result) on it; done makes the value
// of the result there. The scope stays open until then.
func Background(h *host.Host, callback goja.Value, work func() (done func() goja.Value, failure error)) {
	fn, ok := goja.AssertFunction(callback)
	if !ok {
		ThrowCode(h, "TypeError", "ERR_INVALID_ARG_TYPE", `The "callback" argument must be of type function.`)
	}
	ticket := h.Scope().Ticket()
	h.Loop.Go(func() {
		done, err := work()
		ticket.Return(func() {
			h.Guard(func() {
				if err != nil {
					Call(fn, goja.Undefined(), FailureValue(h, err))
					return
				}
				Call(fn, goja.Undefined(), goja.Null(), done())
			})
		})
	})
}

// Coded is an error that becomes a JavaScript error of a class, with a code unless that is "".
func Coded(class, code, message string) error { return &coded{class, code, message} }

type coded struct{ class, code, message string }

func (e *coded) Error() string { return e.message }

// FailureValue is the JavaScript error that a script gets for err.
func FailureValue(h *host.Host, err error) goja.Value {
	if c, ok := err.(*coded); ok {
		if c.code == "" {
			return h.Realm.NewError(c.class, c.message)
		}
		return CodedError(h, c.class, c.code, c.message)
	}
	return h.Realm.NewError("Error", err.Error())
}

// OrThrow throws err unless it is nil.
func OrThrow(h *host.Host, err error) {
	if err != nil {
		panic(FailureValue(h, err))
	}
}

// Deliver runs work now, or off the loop when callback is a function.
func Deliver(h *host.Host, callback goja.Value, work func() ([]byte, error)) goja.Value {
	if !goja.IsUndefined(callback) {
		Heavy(h, callback, func() (func() goja.Value, error) {
			b, err := work()
			return func() goja.Value { return h.Realm.ArrayBuffer(b) }, err
		})
		return goja.Undefined()
	}
	var b []byte
	var err error
	h.Loop.Await(func() { b, err = work() })
	OrThrow(h, err)
	return h.Realm.ArrayBuffer(b)
}

// Heavy is Background for work that takes a processor: it waits for a slot of the isolate.
func Heavy(h *host.Host, callback goja.Value, work func() (done func() goja.Value, failure error)) {
	ctx := h.Scope().Context()
	Background(h, callback, func() (done func() goja.Value, failure error) {
		if refused := h.Loop.Heavy(ctx, func() { done, failure = work() }); refused != nil {
			failure = refused
		}
		return done, failure
	})
}
