package webidl

import (
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/gojainternals"
)

// Call is one call from JavaScript into a platform class.
type Call struct {
	This  goja.Value
	Args  []goja.Value
	realm *Realm
	iface string
	// method is empty in a constructor.
	method string
}

// Realm is the realm of the call.
func (c *Call) Realm() *Realm { return c.realm }

// Runtime is the goja runtime of the call.
func (c *Call) Runtime() *goja.Runtime { return c.realm.rt }

// Arg is argument i, undefined when missing.
func (c *Call) Arg(i int) goja.Value {
	if i < len(c.Args) {
		return c.Args[i]
	}
	return goja.Undefined()
}

// Missing tells whether argument i is absent or undefined.
func (c *Call) Missing(i int) bool { return i >= len(c.Args) || goja.IsUndefined(c.Args[i]) }

// Value is rt.ToValue.
func (c *Call) Value(v any) goja.Value { return c.realm.rt.ToValue(v) }

// ThrowType throws a TypeError.
func (c *Call) ThrowType(format string, args ...any) { c.realm.ThrowType(format, args...) }

// ThrowNotOfType throws workerd's text for an argument of the wrong kind; typ is the platform's name of what was
// expected ("string", "ListOptions"). i counts from 0.
func (c *Call) ThrowNotOfType(i int, typ string) {
	if c.method == "" {
		c.ThrowType("Failed to construct '%s': constructor parameter %d is not of type '%s'.", c.iface, i+1, typ)
	}
	c.ThrowType("Failed to execute '%s' on '%s': parameter %d is not of type '%s'.", c.method, c.iface, i+1, typ)
}

// Require returns argument i. It throws unless the argument was passed, if only as undefined.
func (c *Call) Require(i int, typ string) goja.Value {
	if i >= len(c.Args) {
		c.ThrowNotOfType(i, typ)
	}
	return c.Args[i]
}

// String is argument i as a required DOMString, by ToString.
func (c *Call) String(i int) string { return ToString(c.Require(i, "string")) }

// USVString is argument i as a required string with lone surrogates replaced.
func (c *Call) USVString(i int) string { return USVString(c.Require(i, "string")) }

// ToString is ToString of the standard: symbols throw. Lone surrogates become U+FFFD, because Go strings cannot hold
// them.
func ToString(v goja.Value) string {
	s := v.ToString()
	if _, ok := s.(*goja.Symbol); ok {
		panic(gojainternals.ThrownTypeError("Cannot convert a Symbol value to a string"))
	}
	if text, ok := s.(goja.String); ok {
		return builtin.UTF8(text)
	}
	return s.String()
}

// manyUnits is the length from which on a text is decoded in parts.
const manyUnits = 1 << 17

// USVString converts to a string of Unicode scalar values (https://webidl.spec.whatwg.org/#idl-USVString).
func USVString(v goja.Value) string {
	str, ok := v.(goja.String)
	if !ok {
		str = StringOf(v)
	}
	if str.Length() > manyUnits {
		return builtin.UTF8(str)
	}
	if text := gojainternals.UTF8(str); utf8.ValidString(text) { // what Go has given may be no UTF-8
		return text
	}
	return string(utf16.Decode(builtin.Units(str)))
}

// StringOf is ToString of the standard. goja's own lets symbols through.
func StringOf(v goja.Value) goja.String {
	switch s := v.ToString().(type) {
	case goja.String:
		return s
	case *goja.Symbol:
		panic(gojainternals.ThrownTypeError("Cannot convert a Symbol value to a string"))
	default: // undefined, null, booleans and numbers are their own ToString in goja
		return goja.StringFromUTF16(utf16.Encode([]rune(s.String())))
	}
}

// ByteString is argument i as bytes, each from one code unit (https://webidl.spec.whatwg.org/#idl-ByteString). It
// throws if a unit is above U+00FF.
func (c *Call) ByteString(i int) string {
	str := StringOf(c.Require(i, "ByteString"))
	var b strings.Builder
	for j := range str.Length() {
		u := str.CharAt(j)
		if u > 0xff {
			c.ThrowType("Cannot convert string to ByteString because the character at index %d has a value of %d "+
				"which is greater than 255.", j, u)
		}
		b.WriteByte(byte(u))
	}
	return b.String()
}

// Function is argument i if it can be called.
func (c *Call) Function(i int) goja.Callable {
	f, ok := goja.AssertFunction(c.Arg(i))
	if !ok {
		c.ThrowNotOfType(i, "function")
	}
	return f
}

// Object is argument i if it is an object, nil if it is missing or null, else the error for typ.
func (c *Call) Object(i int, typ string) *goja.Object {
	v := c.Arg(i)
	if goja.IsUndefined(v) || goja.IsNull(v) {
		return nil
	}
	obj, ok := v.(*goja.Object)
	if !ok {
		c.ThrowNotOfType(i, typ)
	}
	return obj
}

// Int32 converts v as workerd does (P-29): not a number, null and infinities become 0, a fraction is cut off, and a
// number that does not fit throws.
func (r *Realm) Int32(v goja.Value) int32 {
	f := v.ToNumber().ToFloat()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	f = math.Trunc(f)
	if f < math.MinInt32 || f > math.MaxInt32 {
		r.ThrowType("Value out of range. Must be between -2147483648 and 2147483647 (inclusive).")
	}
	return int32(f)
}

// Option is property name of obj, nil when obj is nil or the property is undefined.
func Option(obj *goja.Object, name string) goja.Value {
	if obj == nil {
		return nil
	}
	v := gojainternals.Property(obj, name)
	if v == nil || goja.IsUndefined(v) {
		return nil
	}
	return v
}
