package v8text

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/script"
)

// Rules for what is called, constructed or extended, and is nothing of the kind.

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
				return "Cannot use 'in' operator to search for '" + t.Render(k) + "' in " + rest
			}
			return "Right-hand side of 'instanceof' is not an object"
		}
		return ""
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
	if name, ok := t.classOperand(); ok {
		return "Class constructor " + name + " cannot be invoked without 'new'"
	}
	return ""
}

// superNotConstructor words the construction of a class whose parent is null.
func (t *Texts) superNotConstructor(string) string {
	if name, ok := t.classOperand(); ok && name != "" {
		return "Super constructor null of " + name + " is not a constructor"
	}
	return "Super constructor null of anonymous class"
}

// classOperand is the name of the class nearest to the top of the stack.
func (t *Texts) classOperand() (string, bool) {
	for i := 0; i < 64; i++ {
		o, ok := t.in.Operand(t.rt, i).(*goja.Object)
		if !ok {
			continue
		}
		if t.in.IsClass(o) {
			name := ""
			if n := o.Get("name"); n != nil {
				name = n.String()
			}
			return name, true
		}
	}
	return "", false
}
