package webidl

import (
	"errors"
	"fmt"

	"github.com/dop251/goja"
)

// IllegalInvocation is what a method says that was detached or borrowed (P-1).
const IllegalInvocation = "Illegal invocation: function called with incorrect `this` reference. See " +
	"https://developers.cloudflare.com/workers/observability/errors/#illegal-invocation-errors for details."

// NewError makes an instance of a global error class ("Error", "TypeError", "RangeError" …) with the message.
func (r *Realm) NewError(class, message string) *goja.Object {
	obj, err := r.rt.New(r.rt.Get(class), r.rt.ToValue(message))
	if err != nil {
		panic(err)
	}
	return obj
}

// TypeError makes a TypeError.
func (r *Realm) TypeError(format string, args ...any) *goja.Object {
	return r.NewError("TypeError", fmt.Sprintf(format, args...))
}

// Throw throws v out of the Go function that JavaScript called.
func (r *Realm) Throw(v goja.Value) { panic(v) }

// ThrowError throws a new error of a global class.
func (r *Realm) ThrowError(class, format string, args ...any) {
	panic(goja.Value(r.NewError(class, fmt.Sprintf(format, args...))))
}

// ThrowType throws a new TypeError.
func (r *Realm) ThrowType(format string, args ...any) { r.ThrowError("TypeError", format, args...) }

// ThrowDOM throws a new DOMException.
func (r *Realm) ThrowDOM(name, format string, args ...any) {
	panic(goja.Value(r.DOMException(name, fmt.Sprintf(format, args...))))
}

// Try runs f and gives back what it threw, nil if nothing. Interrupts and Go panics go through.
func (r *Realm) Try(f func()) goja.Value {
	if ex := r.rt.Try(f); ex != nil {
		return ex.Value()
	}
	return nil
}

// TryFor is Try for an f that settles promise: the stacks of errors that f makes end with the functions that await it,
// as in V8. If f throws, it runs once more, because only then the stack is looked for: that costs.
func (r *Realm) TryFor(promise *goja.Promise, f func()) (thrown goja.Value) {
	if r.Try(f) != nil {
		r.Awaited(promise, func() { thrown = r.Try(f) })
	}
	return thrown
}

// Awaited runs f, which settles promise: the stacks of errors that f makes end with the functions that await it.
func (r *Realm) Awaited(promise *goja.Promise, f func()) {
	r.in.Awaited(r.rt, r.rt.ToValue(promise).ToObject(r.rt), f)
}

// PromiseOf is the promise that a resolving function settles, nil if v is none.
func (r *Realm) PromiseOf(v goja.Value) *goja.Promise { return r.in.PromiseOf(v) }

// ErrorValue is the JavaScript value of an error that a call into goja returned: what was thrown, or an Error with the
// text of a Go error. A stack overflow becomes a RangeError here, as in V8. Interrupts are thrown on: no script may
// catch them.
func (r *Realm) ErrorValue(err error) goja.Value {
	var ex *goja.Exception
	if errors.As(err, &ex) {
		return ex.Value()
	}
	var in *goja.InterruptedError
	if errors.As(err, &in) {
		panic(in)
	}
	var overflow *goja.StackOverflowError
	if errors.As(err, &overflow) {
		return r.NewError("RangeError", "Maximum call stack size exceeded")
	}
	return r.NewError("Error", err.Error())
}

// domState is the state of a DOMException.
type domState struct {
	name, message string
}

// legacy codes of https://webidl.spec.whatwg.org/#idl-DOMException-error-names
var domCodes = map[string]int{
	"IndexSizeError": 1, "HierarchyRequestError": 3, "WrongDocumentError": 4, "InvalidCharacterError": 5,
	"NoModificationAllowedError": 7, "NotFoundError": 8, "NotSupportedError": 9, "InUseAttributeError": 10,
	"InvalidStateError": 11, "SyntaxError": 12, "InvalidModificationError": 13, "NamespaceError": 14,
	"InvalidAccessError": 15, "TypeMismatchError": 17, "SecurityError": 18, "NetworkError": 19, "AbortError": 20,
	"URLMismatchError": 21, "QuotaExceededError": 22, "TimeoutError": 23, "InvalidNodeTypeError": 24,
	"DataCloneError": 25,
}

var domConstants = []struct {
	name string
	code int
}{
	{"INDEX_SIZE_ERR", 1}, {"DOMSTRING_SIZE_ERR", 2}, {"HIERARCHY_REQUEST_ERR", 3}, {"WRONG_DOCUMENT_ERR", 4},
	{"INVALID_CHARACTER_ERR", 5}, {"NO_DATA_ALLOWED_ERR", 6}, {"NO_MODIFICATION_ALLOWED_ERR", 7}, {"NOT_FOUND_ERR", 8},
	{"NOT_SUPPORTED_ERR", 9}, {"INUSE_ATTRIBUTE_ERR", 10}, {"INVALID_STATE_ERR", 11}, {"SYNTAX_ERR", 12},
	{"INVALID_MODIFICATION_ERR", 13}, {"NAMESPACE_ERR", 14}, {"INVALID_ACCESS_ERR", 15}, {"VALIDATION_ERR", 16},
	{"TYPE_MISMATCH_ERR", 17}, {"SECURITY_ERR", 18}, {"NETWORK_ERR", 19}, {"ABORT_ERR", 20}, {"URL_MISMATCH_ERR", 21},
	{"QUOTA_EXCEEDED_ERR", 22}, {"TIMEOUT_ERR", 23}, {"INVALID_NODE_TYPE_ERR", 24}, {"DATA_CLONE_ERR", 25},
}

func defineDOMException(r *Realm) *Interface {
	var members []Member
	for _, k := range domConstants {
		members = append(members, Const(k.name, k.code))
	}
	i := r.Define(Spec{
		Name: "DOMException",
		// A DOMException is an Error with a stack: goja keeps the stack only on objects that its own Error
		// constructor made, so the instance is one, with the prototype exchanged.
		Make: func(c *Call, proto *goja.Object) *goja.Object {
			message, name := "", "Error"
			if !c.Missing(0) {
				message = c.String(0)
			}
			var cause goja.Value
			switch o := c.Arg(1).(type) {
			case *goja.Object:
				if n := o.Get("name"); n != nil && !goja.IsUndefined(n) {
					name = n.String()
				}
				cause = o.Get("cause")
			default:
				if !goja.IsUndefined(c.Arg(1)) {
					name = c.String(1)
				}
			}
			return r.newDOMException(proto, name, message, cause)
		},
		Members: members,
	})
	_ = i.Prototype.SetPrototype(r.errorCtor.Get("prototype").ToObject(r.rt))
	return i
}

func (r *Realm) newDOMException(proto *goja.Object, name, message string, cause goja.Value) *goja.Object {
	obj, err := r.rt.New(r.errorCtor)
	if err != nil {
		panic(err)
	}
	_ = obj.SetPrototype(proto)
	r.SetState(obj, &domState{name: name, message: message})
	// On the platform all four are own and enumerable, the stack last.
	stack := r.must(r.getDescriptor(goja.Undefined(), obj, r.rt.ToValue("stack")))
	_ = obj.Delete("stack")
	for _, p := range [...]struct {
		name  string
		value any
	}{{"code", domCodes[name]}, {"name", name}, {"message", message}} {
		_ = obj.DefineDataProperty(p.name, r.rt.ToValue(p.value), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	if d, ok := stack.(*goja.Object); ok { // there is none where Error.stackTraceLimit is no number
		_ = d.Set("enumerable", true)
		r.must(r.defineProperty(goja.Undefined(), obj, r.rt.ToValue("stack"), d))
	}
	if cause != nil && !goja.IsUndefined(cause) {
		_ = obj.DefineDataProperty("cause", cause, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	return obj
}

// must returns v, the result of calling a built-in. The only error of such a call is an interrupt, which must throws
// on.
func (r *Realm) must(v goja.Value, err error) goja.Value {
	if err != nil {
		panic(err)
	}
	return v
}

// DOMException makes a DOMException of that name.
func (r *Realm) DOMException(name, message string) *goja.Object {
	return r.newDOMException(r.domException.Prototype, name, message, nil)
}

// DOMExceptionParts tells whether v is a DOMException, and its name and message.
func (r *Realm) DOMExceptionParts(v goja.Value) (name, message string, ok bool) {
	s, ok := StateOf[*domState](r, v)
	if !ok {
		return "", "", false
	}
	return s.name, s.message, true
}
