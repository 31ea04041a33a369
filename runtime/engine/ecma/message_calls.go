package ecma

import (
	"strings"

	"github.com/dop251/goja"
)

// Rules for what is called, constructed or extended, and is nothing of the kind.

func (e *Engine) notCallable(rest string) string {
	p := e.here()
	if p.script {
		if s := p.idx.find(p.offset, siteCall); s != nil {
			return p.text(s) + " is not a function"
		}
		if s := p.idx.find(p.offset, siteNew); s != nil {
			return p.text(s) + " is not a constructor"
		}
	}
	if !p.script {
		switch e.nativeName() {
		case "flatMap", "from":
			for i := 0; i < 2; i++ {
				if v := e.in.Argument(e.rt, i); v != nil && e.render(v) == rest {
					return e.defaultSite(v) + " is not a function"
				}
			}
		}
	}
	if v := e.firstArgument(); !p.script && v != nil {
		if _, ok := goja.AssertFunction(v); !ok && (v.String() == rest || rest == "") {
			return e.render(v) + " is not a function"
		}
	}
	return rest + " is not a function"
}

func (e *Engine) notObject(rest string) string {
	p := e.here()
	if p.script {
		if s := p.idx.find(p.offset, siteCall); s != nil {
			return p.text(s) + " is not a function"
		}
		if s := p.idx.find(p.offset, siteNew); s != nil {
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
		if v := e.in.Operand(e.rt, 0); v != nil && v.String() == rest {
			if k := e.in.Operand(e.rt, 1); k != nil && e.sourceHasIn(p) {
				return "Cannot use 'in' operator to search for '" + e.render(k) + "' in " + rest
			}
			return "Right-hand side of 'instanceof' is not an object"
		}
		return ""
	}
	switch e.nativeName() {
	case "ownKeys", "getPrototypeOf", "has", "get", "set", "deleteProperty", "isExtensible", "preventExtensions",
		"getOwnPropertyDescriptor":
		return "Reflect." + e.nativeName() + " called on non-object"
	case "defineProperty", "defineProperties", "create":
		return "Getter must be a function: " + rest
	case "fromEntries":
		return "Iterator value " + rest + " is not an entry object"
	case "flatMap", "from":
		for i := range 2 {
			if v := e.in.Argument(e.rt, i); v != nil && v.String() == rest {
				return e.defaultSite(v) + " is not a function"
			}
		}
	case "construct":
		return rest + " is not a constructor"
	}
	if v := e.firstArgument(); v != nil && v.String() == rest {
		return e.render(v) + " is not a function"
	}
	return "Iterator result " + rest + " is not an object"
}

func (e *Engine) notConstructor(string) string {
	p := e.here()
	if p.script {
		if s := p.idx.find(p.offset, siteNew); s != nil {
			return p.text(s) + " is not a constructor"
		}
	}
	if v := e.firstArgument(); v != nil {
		return e.render(v) + " is not a constructor"
	}
	return ""
}

func (e *Engine) classCalled(string) string {
	if name, ok := e.classOperand(); ok {
		return "Class constructor " + name + " cannot be invoked without 'new'"
	}
	return ""
}

// superNotConstructor words the construction of a class whose parent is null.
func (e *Engine) superNotConstructor(string) string {
	if name, ok := e.classOperand(); ok && name != "" {
		return "Super constructor null of " + name + " is not a constructor"
	}
	return "Super constructor null of anonymous class"
}

// classOperand is the name of the class nearest to the top of the stack.
func (e *Engine) classOperand() (string, bool) {
	for i := 0; i < 64; i++ {
		o, ok := e.in.Operand(e.rt, i).(*goja.Object)
		if !ok {
			continue
		}
		if e.in.IsClass(o) {
			name := ""
			if n := o.Get("name"); n != nil {
				name = n.String()
			}
			return name, true
		}
	}
	return "", false
}
