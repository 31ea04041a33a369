package v8text

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/script"
)

// These rules word the errors for values that a script calls, constructs or extends, and that do not allow it.

func (t *Texts) notCallable(rest string) string {
	p := t.here()
	if p.script {
		if s := p.idx.Find(p.offset, script.Call); s != nil {
			return p.text(s) + " is not a function"
		}
		if s := p.idx.Find(p.offset, script.New); s != nil {
			return p.text(s) + " is not a constructor"
		}
	}
	if !p.script {
		switch t.nativeName() {
		case "flatMap", "from":
			for i := 0; i < 2; i++ {
				if v := t.in.Argument(t.rt, i); v != nil && t.Render(v) == rest {
					return t.defaultSite(v) + " is not a function"
				}
			}
		}
	}
	if !p.script {
		if text := t.borrowed(rest); text != "" {
			return text
		}
	}
	if v := t.firstArgument(); !p.script && v != nil {
		if _, ok := goja.AssertFunction(v); !ok && (v.String() == rest || rest == "") {
			return t.Render(v) + " is not a function"
		}
	}
	return rest + " is not a function"
}

func (t *Texts) notObject(rest string) string {
	p := t.here()
	if p.script {
		if s := p.idx.Find(p.offset, script.Call); s != nil {
			return p.text(s) + " is not a function"
		}
		if s := p.idx.Find(p.offset, script.New); s != nil {
			switch text := p.text(s); text {
			case "Map", "WeakMap":
				return "Iterator value " + rest + " is not an entry object"
			case "WeakSet":
				return "Invalid value used in weak set"
			default:
				return text + " is not a constructor"
			}
		}
		if w := p.word(); strings.HasPrefix(w, "#") && !p.afterDot() {
			return "Cannot use 'in' operator to search for '" + w + "' in " + rest
		}
		if v := t.in.Operand(t.rt, 0); v != nil && v.String() == rest {
			if k := t.in.Operand(t.rt, 1); k != nil && t.sourceHasIn(p) {
				return "Cannot use 'in' operator to search for '" + t.Render(k) + "' in " + t.Render(v)
			}
			return "Right-hand side of 'instanceof' is not an object"
		}
		return ""
	}
	if text := t.borrowed(rest); text != "" {
		return text
	}
	switch t.nativeName() {
	case "ownKeys", "getPrototypeOf", "has", "get", "set", "deleteProperty", "isExtensible", "preventExtensions",
		"getOwnPropertyDescriptor":
		return "Reflect." + t.nativeName() + " called on non-object"
	case "defineProperty", "defineProperties", "create":
		return "Getter must be a function: " + rest
	case "fromEntries":
		return "Iterator value " + rest + " is not an entry object"
	case "flatMap", "from":
		for i := range 2 {
			if v := t.in.Argument(t.rt, i); v != nil && v.String() == rest {
				return t.defaultSite(v) + " is not a function"
			}
		}
	case "construct":
		return rest + " is not a constructor"
	}
	if v := t.firstArgument(); v != nil && v.String() == rest {
		return t.Render(v) + " is not a function"
	}
	return "Iterator result " + rest + " is not an object"
}

func (t *Texts) notConstructor(string) string {
	p := t.here()
	if p.script {
		if s := p.idx.Find(p.offset, script.New); s != nil {
			return p.text(s) + " is not a constructor"
		}
	}
	if v := t.firstArgument(); v != nil {
		return t.Render(v) + " is not a constructor"
	}
	return ""
}

func (t *Texts) classCalled(string) string {
	c := t.classOperand()
	if c == nil {
		return ""
	}
	if prg := t.in.ProgramOf(c); prg != nil {
		if src, _ := t.in.Place(prg, 0); src != nil && t.hidden(src.Name()) {
			return "Failed to construct '" + nameOf(c) + "': Please use the 'new' operator, this object constructor " +
				"cannot be called as a function."
		}
	}
	return "Class constructor " + nameOf(c) + " cannot be invoked without 'new'"
}

// superNotConstructor words the construction of a class whose parent is null.
func (t *Texts) superNotConstructor(string) string {
	if c := t.classOperand(); c != nil && nameOf(c) != "" {
		return "Super constructor null of " + nameOf(c) + " is not a constructor"
	}
	return "Super constructor null of anonymous class is not a constructor"
}

// classOperand is the class nearest to the top of the stack, nil if there is none.
func (t *Texts) classOperand() *goja.Object {
	for i := range 64 {
		if o, ok := t.in.Operand(t.rt, i).(*goja.Object); ok && t.in.IsClass(o) {
			return o
		}
	}
	return nil
}

func nameOf(f *goja.Object) string {
	if n := f.Get("name"); n != nil {
		return n.String()
	}
	return ""
}
