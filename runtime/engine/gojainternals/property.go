package gojainternals

import (
	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// Property is o.Get(name) for a name of ASCII that is none of those with which Object.prototype comes: what plain
// objects and their prototypes have, or lack, is looked up in their maps at once. It is nil if there is no such
// property.
func Property(o *goja.Object, name string) goja.Value {
	l := polled.layout
	if l == nil {
		return o.Get(name)
	}
	v, rest := l.held(o, name)
	if v != nil || rest == nil {
		return v
	}
	if rest == l.root(o) && l.keepers.of(l.kind(rest)) == keepsFound {
		if b := l.baseOf(rest); b.prototype == nil && b.values[unistring.String(name)] == nil {
			return nil
		}
	}
	return o.Get(name)
}

// Held is a property of an object that it, or one of its prototypes, keeps as a value; nil if there is none. known is
// false where only a look-up of goja's can say it, which a script may see.
func (l *Layout) Held(o *goja.Object, name string) (v goja.Value, known bool) {
	v, rest := l.held(o, name)
	return v, v != nil || rest == nil
}
