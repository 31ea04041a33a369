package rpc

import (
	"context"
	"errors"

	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
	"eddy/runtime/webapi/clone"
)

// RemoteError is an error on its way between isolates (RPC14 to RPC17). It is immutable.
type RemoteError struct {
	// Name is a standard error class, or that of a DOMException when DOM is set.
	Name, Message string
	DOM           bool
	// Remote: it was thrown by the callee. Retryable: a connection was lost. Overloaded: something took too long.
	// Reset: the object was reset.
	Remote, Retryable, Overloaded, Reset bool
	// ObjectID is the id of the Durable Object that failed, "" if it was none.
	ObjectID string
	// Data is the thrown object itself as a structured clone, if the sender's flag enhanced_error_serialization is on
	// (RPC15).
	Data []byte
}

// Error is the message.
func (f *RemoteError) Error() string { return f.Message }

// Fail makes a plain Error.
func Fail(message string) *RemoteError { return &RemoteError{Name: "Error", Message: message} }

// FailType makes a TypeError.
func FailType(message string) *RemoteError { return &RemoteError{Name: "TypeError", Message: message} }

// Disconnected is the failure of a call whose other side is gone (RPC17).
func Disconnected() *RemoteError {
	return &RemoteError{Name: "Error", Message: "Network connection lost.", Retryable: true, Remote: true}
}

// CanceledText is the text of the failure of a call whose callee's context ended before it answered.
const CanceledText = "The destination execution context for this RPC was canceled while the call was still running."

// FailureOf returns the failure for a Go error. An error that is a Failure stands for itself.
func FailureOf(err error) *RemoteError {
	var f *RemoteError
	if errors.As(err, &f) {
		return f
	}
	if err == nil || errors.Is(err, context.Canceled) {
		return Fail(CanceledText)
	}
	return Fail(err.Error())
}

// With sets flags on a copy.
func (f *RemoteError) With(change func(*RemoteError)) *RemoteError {
	c := *f
	change(&c)
	return &c
}

// standardErrors are the classes that survive without the enhanced form.
var standardErrors = map[string]bool{
	"Error": true, "TypeError": true, "RangeError": true, "SyntaxError": true, "ReferenceError": true,
	"EvalError": true,
	"URIError":  true, "AggregateError": true,
}

// Standard returns the failure for an error of that name. The name of a class that does not cross goes into the message
// (RPC14).
func Standard(name, message string) *RemoteError {
	switch {
	case standardErrors[name]:
		return &RemoteError{Name: name, Message: message}
	case message == "":
		return &RemoteError{Name: "Error", Message: name}
	}
	return &RemoteError{Name: "Error", Message: name + ": " + message}
}

// Thrown describes to the other side what JavaScript threw. Remote is set, because the callee threw it.
func (k *Kit) Thrown(v goja.Value) *RemoteError {
	f := k.describe(v)
	f.Remote = true
	return f
}

func (k *Kit) describe(v goja.Value) *RemoteError {
	f := &RemoteError{Name: "Error"}
	obj, isObj := v.(*goja.Object)
	if !isObj {
		k.h.Realm.Try(func() { f.Message = v.String() })
		return f
	}
	if name, message, ok := k.h.Realm.DOMExceptionParts(v); ok {
		f.Name, f.Message, f.DOM = name, message, true
	} else {
		name := k.text(obj, "name")
		message := k.text(obj, "message")
		if k.isError(obj) {
			f = Standard(name, message)
		} else {
			f.Message = k.describeObject(obj)
		}
	}
	flag := func(name string) (set bool) {
		k.h.Realm.Try(func() {
			p := obj.Get(name)
			set = p != nil && p.ToBoolean()
		})
		return set
	}
	f.Retryable, f.Overloaded, f.Reset = flag("retryable"), flag("overloaded"), flag("durableObjectReset")
	k.enhance(f, v)
	return f
}

// enhance keeps the whole value if it can be cloned.
func (k *Kit) enhance(f *RemoteError, v goja.Value) {
	if !k.h.Enabled("enhanced_error_serialization") {
		return
	}
	if e, err := clone.Codec(k.h).Encode(v, structured.EncodeOptions{EnhancedErrors: true}); err == nil {
		f.Data = e.Data
	}
}

func (k *Kit) text(obj *goja.Object, name string) (s string) {
	k.h.Realm.Try(func() {
		if p := obj.Get(name); p != nil && !goja.IsUndefined(p) {
			s = p.String()
		}
	})
	return s
}

func (k *Kit) isError(obj *goja.Object) bool {
	for p := obj; p != nil; p = p.Prototype() {
		if p == k.errorProto {
			return true
		}
	}
	return false
}

func (k *Kit) describeObject(obj *goja.Object) string {
	name := "Object"
	k.h.Realm.Try(func() {
		if c, ok := obj.Get("constructor").(*goja.Object); ok {
			if n := c.Get("name"); n != nil && n.String() != "" {
				name = n.String()
			}
		}
	})
	return "#<" + name + ">"
}

// Value makes the error that the caller sees.
func (k *Kit) Value(f *RemoteError) goja.Value {
	v := k.revive(f)
	obj, ok := v.(*goja.Object)
	if !ok {
		return v
	}
	set := func(name string, on bool) {
		if on {
			_ = obj.DefineDataProperty(
				name, k.h.Runtime().ToValue(true), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		}
	}
	set("retryable", f.Retryable)
	set("overloaded", f.Overloaded)
	set("durableObjectReset", f.Reset)
	if k.isError(obj) || f.Data != nil {
		set("remote", f.Remote)
		if f.ObjectID != "" {
			_ = obj.DefineDataProperty(
				"durableObjectId", k.h.Runtime().ToValue(f.ObjectID), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		}
	}
	return obj
}

func (k *Kit) revive(f *RemoteError) goja.Value {
	if f.Data != nil {
		if v, err := clone.Codec(k.h).Decode(f.Data, structured.DecodeOptions{DropErrorStacks: true}); err == nil {
			return v
		}
	}
	switch {
	case f.DOM:
		return k.h.Realm.DOMException(f.Name, f.Message)
	case f.Name == "AggregateError":
		obj, err := k.h.Runtime().New(
			k.h.Runtime().Get("AggregateError"), k.h.Runtime().NewArray(), k.h.Runtime().ToValue(f.Message))
		if err == nil {
			_ = obj.Delete("errors") // they do not cross (RPC14)
			return obj
		}
	case standardErrors[f.Name]:
		return k.h.Realm.NewError(f.Name, f.Message)
	}
	return k.h.Realm.NewError("Error", f.Message)
}
