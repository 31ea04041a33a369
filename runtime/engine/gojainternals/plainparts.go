package gojainternals

import (
	"github.com/dop251/goja"
)

// What objects and arrays with nothing but values have, for whoever goes over them without scripts.

// PlainNames appends the names of a plain object: all its properties are values that a script could have assigned, its
// names are in ASCII and no numbers, and its prototype is Object.prototype. ok is false for any other object.
func (l *Layout) PlainNames(o *goja.Object, to []Name) (names []Name, ok bool) {
	if z, ok := l.literal(o); ok {
		return append(to, z.group.names[:z.index]...), true
	}
	if !l.plainKind(l.kind(o)) {
		return to, false
	}
	b := l.baseOf(o)
	if b.class != "Object" || b.prototype != l.root(o) || len(b.propNames) != len(b.values) {
		return to, false
	}
	for _, name := range b.propNames {
		if v := b.values[name]; v == nil || kindOf(v) == l.quick.accessor || !literalName(string(name)) {
			return to, false
		}
	}
	return append(to, b.propNames...), true
}

// PlainValue is the value of a property that PlainNames has named, nil if it is not such a value any more.
func (l *Layout) PlainValue(o *goja.Object, name Name) goja.Value {
	if z, ok := l.literal(o); ok {
		if at := z.find(string(name)); at != nil {
			return *at
		}
		return nil
	}
	if !l.plainKind(l.kind(o)) {
		return nil
	}
	v := l.baseOf(o).values[name]
	if v == nil || kindOf(v) == l.quick.accessor {
		return nil
	}
	return v
}

// PlainList are the elements of an array that has nothing else: there are no holes, no names but length, and no
// properties with attributes. The caller must not change the list, and scripts may change it.
func (l *Layout) PlainList(o *goja.Object) (list []goja.Value, ok bool) {
	kind := l.kind(o)
	if kind != l.arrays.light && kind != l.arrays.kind || len(l.baseOf(o).propNames) != 1 {
		return nil, false
	}
	return l.Whole(o)
}

// Element is an element that an array keeps as a value, nil if it has none there or o is no array.
func (l *Layout) Element(o *goja.Object, i int) goja.Value { return l.elementAt(o, int64(i)) }

// MayBePlain tells whether an object is an array or inherits from Object.prototype as plain objects do, so that it is
// none of the other things that a script knows.
func (l *Layout) MayBePlain(o *goja.Object) bool {
	if _, ok := l.literal(o); ok || l.isArray(o) {
		return true
	}
	if !l.plainKind(l.kind(o)) {
		return false
	}
	b := l.baseOf(o)
	return b.class == "Object" && b.prototype == l.root(o)
}
