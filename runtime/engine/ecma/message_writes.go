package ecma

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// Rules for properties that cannot be written, added, deleted or, being private, read.

func (e *Engine) readOnly(key string) string {
	p := e.here()
	v := e.receiver(p)
	if v == nil {
		return ""
	}
	o, ok := v.(*goja.Object)
	if !ok {
		if _, err := strconv.Atoi(key); p.script && key != "length" && (err != nil || !goja.IsString(v)) {
			return "Cannot create property '" + key + "' on " + TypeOf(v) + " '" + e.render(v) + "'"
		}
		return "Cannot assign to read only property '" + key + "' of " + TypeOf(v) + " '" + e.render(v) + "'"
	}
	for at := o; at != nil; at = at.Prototype() {
		d, err := e.getDescriptor(goja.Undefined(), at, e.rt.ToValue(key))
		if err != nil {
			break
		}
		if desc, ok := d.(*goja.Object); ok {
			if desc.Get("get") != nil {
				return "Cannot set property " + key + " of " + e.render(o) + " which has only a getter"
			}
			break
		}
	}
	return "Cannot assign to read only property '" + key + "' of " + TypeOf(v) + " '" + e.render(v) + "'"
}

func (e *Engine) undeletable(rest string) string {
	i := strings.Index(rest, "' of ")
	if i < 0 {
		return ""
	}
	p := e.here()
	var v goja.Value
	if p.script {
		v = e.in.Operand(e.rt, 0)
		if !p.afterDot() {
			v = e.in.Operand(e.rt, 1)
		}
	} else {
		v = e.receiver(p)
	}
	if v == nil {
		return ""
	}
	return "Cannot delete property '" + rest[:i] + "' of " + e.render(v)
}

func (e *Engine) notExtensible(key string) string {
	p := e.here()
	if p.script {
		if v := e.receiver(p); v != nil {
			if _, ok := v.(*goja.Object); !ok && !nullish(v) {
				return "Cannot create property '" + key + "' on " + TypeOf(v) + " '" + e.render(v) + "'"
			}
		}
	}
	return ""
}

// assignedKey is the property that a failed assignment was for.
func (e *Engine) assignedKey() string {
	p := e.here()
	if p.afterDot() {
		return p.word()
	}
	if v := e.in.Operand(e.rt, 1); v != nil {
		return e.render(v)
	}
	return ""
}

func (e *Engine) primitiveReceiver(string) string {
	p := e.here()
	if v := e.receiver(p); p.script && v != nil {
		return "Cannot create property '" + e.assignedKey() + "' on " + TypeOf(v) + " '" + e.render(v) + "'"
	}
	return ""
}

func (e *Engine) privateRead(name string) string {
	p := e.here()
	if p.idx != nil {
		if class, ok := p.idx.privateMethods[name]; ok {
			if class == "" {
				class = "anonymous"
			}
			return "Receiver must be an instance of class " + class
		}
	}
	return ""
}
