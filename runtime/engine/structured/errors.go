package structured

import (
	"github.com/dop251/goja"
)

// errorPrototypes are the classes that survive in V8's own form of an Error;
// any other name becomes a plain Error on reading.
var errorPrototypes = map[string]byte{
	"EvalError": errEvalError, "RangeError": errRangeError, "ReferenceError": errReferenceError,
	"SyntaxError": errSyntaxError, "TypeError": errTypeError, "URIError": errURIError,
}

// errorClasses is errorPrototypes from tag to class.
var errorClasses = func() map[byte]string {
	m := map[byte]string{}
	for name, tag := range errorPrototypes {
		m[tag] = name
	}
	return m
}()

// nativeErrorTags number the names of enhanced errors. Names that the runtime
// has no class for are rebuilt as Error, with the name set.
var nativeErrorTags = []string{
	"", "Error", "TypeError", "RangeError", "ReferenceError", "SyntaxError",
	"WasmCompileError", "WasmLinkError", "WasmRuntimeError", "WasmSuspendError",
	"EvalError", "URIError", "AggregateError", "SuppressedError",
}

// ownData returns the value of an own data property, or nil.
func (c *Codec) ownData(obj *goja.Object, name string) goja.Value {
	desc, ok := c.in.call("descriptor", goja.Undefined(), obj, c.vm.ToValue(name)).(*goja.Object)
	if !ok {
		return nil
	}
	return desc.Get("value")
}

// text is ToString, because a message may be any value.
func (c *Codec) text(v goja.Value) goja.String {
	switch s := v.ToString().(type) {
	case goja.String:
		return s
	case *goja.Symbol:
		panic(c.vm.NewTypeError("Cannot convert a Symbol value to a string"))
	default: // undefined, null, booleans and numbers are their own ToString in goja
		return c.vm.ToValue(s.String()).(goja.String)
	}
}

func (e *Encoder) error(obj *goja.Object) {
	if e.opts.EnhancedErrors {
		e.enhancedError(obj)
		return
	}
	message := e.codec.ownData(obj, "message")
	cause := e.codec.ownData(obj, "cause")
	e.tag(tagError)
	if name := obj.Get("name"); name != nil {
		if proto, ok := errorPrototypes[name.String()]; ok {
			e.tag(proto)
		}
	}
	if message != nil {
		e.tag(errMessage)
		e.string(e.codec.text(message))
	}
	if stack, ok := obj.Get("stack").(goja.String); ok {
		e.tag(errStack)
		e.string(stack)
	}
	if cause != nil {
		e.tag(errCause)
		e.WriteValue(cause)
	}
	e.tag(errEnd)
}

// enhancedError writes the platform's own form (RPC15): class number, name if
// the class is unknown, message, and an object with all other own properties.
func (e *Encoder) enhancedError(obj *goja.Object) {
	e.tag(tagHostObject)
	e.varint(uint64(TagNativeError))
	name := obj.Get("name")
	number := 0
	if name != nil {
		for i, n := range nativeErrorTags {
			if i > 0 && n == name.String() {
				number = i
			}
		}
	}
	e.varint(uint64(number))
	if number == 0 {
		e.WriteValue(name)
	}
	e.WriteValue(obj.Get("message"))
	rest := e.codec.vm.NewObject()
	for _, key := range obj.GetOwnPropertyNames() {
		if key == "name" || key == "message" {
			continue
		}
		if v := obj.Get(key); v != nil {
			// It is assigned, not defined: the platform lets a setter on Object.prototype see it, and programs can
			// tell.
			if err := rest.Set(key, v); err != nil {
				panic(err)
			}
		}
	}
	e.WriteValue(rest)
}

// define creates an own data property without consulting the prototype chain.
func define(obj *goja.Object, name string, v goja.Value) {
	if err := obj.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
		panic(err)
	}
}

// defineHidden is define for properties that do not enumerate.
func defineHidden(obj *goja.Object, name string, v goja.Value) {
	if err := obj.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

// readError reads V8's own form. The order of the parts differs between
// releases, so any order is taken; the object must exist before its cause,
// which may refer back to it.
func (d *Decoder) readError() *goja.Object {
	id := d.reserve()
	class := "Error"
	var message goja.Value
	var obj *goja.Object
	build := func() *goja.Object {
		if obj == nil {
			obj = d.newError(class, message)
			d.objects[id] = obj
		}
		return obj
	}
	for {
		switch tag := d.varint(); tag {
		case errEvalError, errRangeError, errReferenceError, errSyntaxError, errTypeError, errURIError:
			if obj != nil {
				d.fail()
			}
			class = errorClasses[byte(tag)]
		case errMessage:
			if obj != nil {
				d.fail()
			}
			message = d.readStringValue()
		case errStack:
			defineHidden(build(), "stack", d.readStringValue())
		case errCause:
			o := build()
			defineHidden(o, "cause", d.ReadValue())
		case errEnd:
			return build()
		default:
			d.fail()
		}
	}
}

// newError constructs an error with or without a message.
func (d *Decoder) newError(class string, message goja.Value) *goja.Object {
	ctor := d.codec.in.errors[class]
	var args []goja.Value
	if class == "AggregateError" {
		args = append(args, d.codec.vm.NewArray())
	}
	if class == "SuppressedError" {
		args = append(args, goja.Undefined(), goja.Undefined())
	}
	if message != nil {
		args = append(args, message)
	}
	obj, err := d.codec.vm.New(ctor, args...)
	if err != nil {
		panic(err)
	}
	return obj
}

// readNativeError reads the platform's enhanced form.
func (d *Decoder) readNativeError() *goja.Object {
	number := d.ReadUint32()
	class := "Error"
	var name goja.Value
	if number > 0 && int(number) < len(nativeErrorTags) {
		if n := nativeErrorTags[number]; d.codec.in.errors[n] != nil {
			class = n
		} else {
			name = d.codec.vm.ToValue(n)
		}
	} else if number == 0 {
		name = d.ReadValue()
	}
	message, ok := d.ReadValue().(goja.String)
	if !ok {
		throw(d.codec.dataCloneError("Deserialization failed: error message is not a string"))
	}
	obj := d.newError(class, message)
	if name != nil {
		define(obj, "name", name)
	}
	rest, ok := d.ReadValue().(*goja.Object)
	if !ok {
		return obj
	}
	for _, key := range rest.GetOwnPropertyNames() {
		if key == "stack" && d.opts.DropErrorStacks {
			continue
		}
		if v := rest.Get(key); v != nil {
			defineErrorProperty(obj, key, v)
		}
	}
	return obj
}

// defineErrorProperty restores one own property. All enumerate from now on, as
// on the platform, but the stack.
func defineErrorProperty(obj *goja.Object, key string, v goja.Value) {
	if key == "stack" {
		defineHidden(obj, key, v)
		return
	}
	define(obj, key, v)
}
