package v8text

import (
	"slices"

	"github.com/dop251/goja"
)

// A native function that a script calls by way of `call` has no frame of its own in goja: what failed is known by the
// function that `call` was called on.

// collected are the methods of collections that look at what they are called on.
var collected = map[string][]string{
	"Map":     {"clear", "delete", "entries", "forEach", "get", "has", "keys", "set", "values"},
	"Set":     {"add", "clear", "delete", "entries", "forEach", "has", "values"},
	"WeakMap": {"delete", "get", "has", "set"},
	"WeakSet": {"add", "delete", "has"},
}

// takesCallback are the methods of arrays whose first argument is a function.
var takesCallback = []string{"every", "filter", "find", "findIndex", "findLast", "findLastIndex", "forEach", "map",
	"reduce", "reduceRight", "some"}

// borrowed words what goja refuses as rest in a native function that was called by way of `call`, "" if another rule
// has to.
func (t *Texts) borrowed(rest string) string {
	if t.nativeName() != "call" {
		return ""
	}
	f, ok := t.in.Argument(t.rt, -2).(*goja.Object)
	if !ok {
		return ""
	}
	receiver := t.in.Argument(t.rt, 0)
	if receiver == nil {
		receiver = goja.Undefined()
	}
	if receiver.String() == rest {
		if t.isMethod(f, "Function", "bind") {
			return "Bind must be called on a function"
		}
		if t.isMethod(f, "Function", "toString") {
			return "Function.prototype.toString requires that 'this' be a Function"
		}
		for class, names := range collected {
			for _, name := range names {
				if t.isMethod(f, class, name) {
					method := class + ".prototype." + name
					return "Method " + method + " called on incompatible receiver " + t.Render(receiver)
				}
			}
		}
	}
	v := t.in.Argument(t.rt, 1)
	if v == nil {
		v = goja.Undefined()
	}
	if _, callable := goja.AssertFunction(v); !callable && v.String() == rest &&
		slices.ContainsFunc(takesCallback, func(name string) bool { return t.isMethod(f, "Array", name) }) {
		return t.Render(v) + " is not a function"
	}
	return ""
}

// isMethod tells whether f is the method of a built-in class, as scripts find it now.
func (t *Texts) isMethod(f *goja.Object, class, name string) bool {
	c, ok := t.rt.Get(class).(*goja.Object)
	if !ok {
		return false
	}
	proto, ok := c.Get("prototype").(*goja.Object)
	return ok && proto.Get(name) == goja.Value(f)
}
