package structured

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// throw raises a JavaScript value; Encode and Decode give it to their caller.
func throw(v goja.Value) { panic(v) }

// dataCloneError makes a DataCloneError with the given text (RPC10, KV10).
func (c *Codec) dataCloneError(text string) goja.Value {
	if c.opts.NewDOMException != nil {
		return c.opts.NewDOMException("DataCloneError", text)
	}
	e := c.newError("Error", text)
	_ = e.DefineDataProperty("name", c.vm.ToValue("DataCloneError"), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return e
}

// newError makes an error of a standard class.
func (c *Codec) newError(class, message string) *goja.Object {
	e, err := c.vm.New(c.in.errors[class], c.vm.ToValue(message))
	if err != nil {
		panic(err)
	}
	return e
}

// refuse throws "X could not be cloned." for a value of any kind.
func (c *Codec) refuse(v goja.Value) {
	throw(c.dataCloneError(c.describe(v) + " could not be cloned."))
}

// refuseType throws the text for types that do not take part in cloning.
func (c *Codec) refuseType(class string) {
	throw(c.dataCloneError(
		`Could not serialize object of type "` + class + `". This type does not support serialization.`))
}

// describe renders a value as the platform does in refusals: a function by its
// source, a symbol by its description, an object by its class.
func (c *Codec) describe(v goja.Value) string {
	obj, ok := v.(*goja.Object)
	if !ok {
		if sym, ok := v.(*goja.Symbol); ok {
			return "Symbol(" + strings.TrimSuffix(strings.TrimPrefix(sym.String(), "Symbol("), ")") + ")"
		}
		return v.String()
	}
	if p, ok := exportedProxy(obj); ok {
		if p.Target() == nil {
			return "#<Object>"
		}
		return c.describe(p.Target())
	}
	if _, callable := goja.AssertFunction(obj); callable {
		return c.in.call("functionToString", obj).String()
	}
	if c.in.brandOf(obj) != brandTagged {
		if same := c.quietGet(obj, "toString"); same == goja.Value(c.in.toString) {
			if name := c.constructorName(obj); name != "" {
				return "#<" + name + ">"
			}
		}
	}
	return "[object " + c.tagOf(obj) + "]"
}

// constructorName is the name of the function in obj.constructor, or "".
func (c *Codec) constructorName(obj *goja.Object) string {
	ctor, ok := c.quietGet(obj, "constructor").(*goja.Object)
	if !ok {
		return ""
	}
	if _, callable := goja.AssertFunction(ctor); !callable {
		return ""
	}
	if s, ok := c.quietGet(ctor, "name").(goja.String); ok {
		return s.String()
	}
	return ""
}

// className is the name under which an instance is refused: its toStringTag,
// else its constructor's name, else "Object".
func (c *Codec) className(obj *goja.Object) string {
	var tag goja.Value
	c.vm.Try(func() { tag = obj.GetSymbol(goja.SymToStringTag) })
	if s, ok := tag.(goja.String); ok {
		return s.String()
	}
	if name := c.constructorName(obj); name != "" {
		return name
	}
	return "Object"
}

func (c *Codec) tagOf(obj *goja.Object) string {
	var tag goja.Value
	c.vm.Try(func() { tag = obj.GetSymbol(goja.SymToStringTag) })
	if s, ok := tag.(goja.String); ok {
		return s.String()
	}
	return "Object"
}

// quietGet reads a data property along the prototype chain without running a
// getter, because an error message must not run user code.
func (c *Codec) quietGet(obj *goja.Object, name string) goja.Value {
	for o := obj; o != nil; o = o.Prototype() {
		d, ok := c.in.call("descriptor", goja.Undefined(), o, c.vm.ToValue(name)).(*goja.Object)
		if ok {
			return d.Get("value")
		}
	}
	return nil
}

// exportedProxy is obj if it is a proxy. It does not export other objects, which may be as large as they say.
func exportedProxy(obj *goja.Object) (p goja.Proxy, ok bool) {
	if obj.ExportType() == gojainternals.ProxyType {
		p, ok = obj.Export().(goja.Proxy)
	}
	return p, ok
}
