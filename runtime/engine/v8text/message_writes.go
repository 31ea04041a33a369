package v8text

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// These rules word the errors for properties that a script cannot write, add or delete, and for private ones that it
// cannot read.

func (t *Texts) readOnly(key string) string {
	p := t.here()
	v := t.receiver(p)
	if v == nil {
		return ""
	}
	o, ok := v.(*goja.Object)
	if !ok {
		if _, err := strconv.Atoi(key); p.script && key != "length" && (err != nil || !goja.IsString(v)) {
			return "Cannot create property '" + key + "' on " + TypeOf(v) + " '" + t.Render(v) + "'"
		}
		return "Cannot assign to read only property '" + key + "' of " + TypeOf(v) + " '" + t.Render(v) + "'"
	}
	for at := o; at != nil; at = at.Prototype() {
		d, err := t.getDescriptor(goja.Undefined(), at, t.rt.ToValue(key))
		if err != nil {
			break
		}
		if desc, ok := d.(*goja.Object); ok {
			if desc.Get("get") != nil {
				return "Cannot set property " + key + " of " + t.Render(o) + " which has only a getter"
			}
			break
		}
	}
	return "Cannot assign to read only property '" + key + "' of " + TypeOf(v) + " '" + t.Render(v) + "'"
}

func (t *Texts) undeletable(rest string) string {
	i := strings.Index(rest, "' of ")
	if i < 0 {
		return ""
	}
	p := t.here()
	var v goja.Value
	if p.script {
		v = t.in.Operand(t.rt, 0)
		if !p.afterDot() {
			v = t.in.Operand(t.rt, 1)
		}
	} else {
		v = t.receiver(p)
	}
	if v == nil {
		return ""
	}
	return "Cannot delete property '" + rest[:i] + "' of " + t.Render(v)
}

func (t *Texts) notExtensible(key string) string {
	p := t.here()
	if p.script {
		if v := t.receiver(p); v != nil {
			if _, ok := v.(*goja.Object); !ok && !nullish(v) {
				return "Cannot create property '" + key + "' on " + TypeOf(v) + " '" + t.Render(v) + "'"
			}
		}
	}
	return ""
}

// assignedKey is the property that a failed assignment was for.
func (t *Texts) assignedKey() string {
	p := t.here()
	if p.afterDot() {
		return p.word()
	}
	if v := t.in.Operand(t.rt, 1); v != nil {
		return t.Render(v)
	}
	return ""
}

func (t *Texts) primitiveReceiver(string) string {
	p := t.here()
	if v := t.receiver(p); p.script && v != nil {
		return "Cannot create property '" + t.assignedKey() + "' on " + TypeOf(v) + " '" + t.Render(v) + "'"
	}
	return ""
}

func (t *Texts) privateRead(name string) string {
	p := t.here()
	if p.idx != nil {
		if class, ok := p.idx.PrivateMethods[name]; ok {
			if class == "" {
				class = "anonymous"
			}
			return "Receiver must be an instance of class " + class
		}
	}
	return ""
}
