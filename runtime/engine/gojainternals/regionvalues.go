package gojainternals

import (
	"bytes"
	"reflect"
	"slices"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// properties are an object's own, by name, as goja keeps them; ok is false for an object that may have others.
func (l *Layout) properties(o *goja.Object) (list *map[unistring.String]goja.Value, ok bool) {
	l.settled(o)
	if !slices.Contains(l.regions.plain, l.kind(o)) {
		return nil, false
	}
	return (*map[unistring.String]goja.Value)(unsafe.Add(l.data(o), l.regions.properties)), true
}

// PlainProperty is an object's own property that is neither an accessor nor protected. Elements of typed arrays are no
// such properties.
func (l *Layout) PlainProperty(o *goja.Object, name string) (v goja.Value, ok bool) {
	list, ok := l.properties(o)
	if !ok {
		return nil, false
	}
	v, ok = (*list)[unistring.String(name)]
	return v, ok && v != nil && reflect.TypeOf(v) != l.regions.property
}

// SetPlainProperty changes such a property.
func (l *Layout) SetPlainProperty(o *goja.Object, name string, v goja.Value) {
	if list, ok := l.properties(o); ok {
		l.unwatched(o)
		(*list)[unistring.String(name)] = v
	}
}

// Found is what a look-up of a property finds without running anything: the object that has it, and the value or, of an
// accessor, its getter. ok is false where something else may happen.
func (l *Layout) Found(o *goja.Object, name string) (at *goja.Object, v goja.Value, ok bool) {
	for range 4 {
		list, plain := l.properties(o)
		if !plain {
			return nil, nil, false
		}
		if v, ok := (*list)[unistring.String(name)]; ok {
			if reflect.TypeOf(v) == l.regions.property {
				p := reflect.ValueOf(v).UnsafePointer()
				if getter := *(**goja.Object)(unsafe.Add(p, l.regions.getter)); getter != nil {
					return o, getter, true
				}
				v = *(*goja.Value)(unsafe.Add(p, l.regions.value))
			}
			return o, v, true
		}
		if o = *(**goja.Object)(unsafe.Add(l.data(o), l.regions.prototype)); o == nil {
			return nil, nil, false
		}
	}
	return nil, nil, false
}

// Inherited is the value of a property, own or inherited, that a look-up finds without running anything; nil if there
// is none.
func (l *Layout) Inherited(o *goja.Object, name string) goja.Value {
	for range 8 {
		list, plain := l.properties(o)
		if !plain {
			return nil
		}
		if v, ok := (*list)[unistring.String(name)]; ok {
			if reflect.TypeOf(v) != l.regions.property {
				return v
			}
			p := reflect.ValueOf(v).UnsafePointer()
			if *(**goja.Object)(unsafe.Add(p, l.regions.getter)) != nil {
				return nil
			}
			return *(*goja.Value)(unsafe.Add(p, l.regions.value)) // nil of what has only a setter
		}
		if o = *(**goja.Object)(unsafe.Add(l.data(o), l.regions.prototype)); o == nil {
			return nil
		}
	}
	return nil
}

// PlainElements tells whether an array whose elements are a list, nil where there is none, has no accessors among them,
// and inherits no elements.
func (l *Layout) PlainElements(o *goja.Object, list []goja.Value) bool {
	for _, v := range list {
		if v != nil && kindOf(v) == l.quick.accessor {
			return false
		}
	}
	for _, name := range *(*[]unistring.String)(unsafe.Add(l.data(o), l.regions.names)) {
		if name != "length" {
			return false // it may be what an index stands for that is no integer
		}
	}
	for o = l.prototypeOf(o); o != nil; o = l.prototypeOf(o) {
		if elements, ok := l.Elements(o); ok {
			if len(elements) > 0 {
				return false
			}
		} else if _, ok := l.properties(o); !ok && !l.Polls(o) {
			return false
		}
		for _, name := range *(*[]unistring.String)(unsafe.Add(l.data(o), l.regions.names)) {
			if len(name) > 0 && (name[0] >= '0' && name[0] <= '9' || name[0] == '-') || name == "NaN" ||
				name == "Infinity" || name == "undefined" {
				return false
			}
		}
	}
	return true
}

// SameValues tells whether two lists have the very same values, numbers in the same place of the memory. Others may be
// equal all the same.
func (l *Layout) SameValues(a, b []goja.Value) bool {
	size := len(a) * int(unsafe.Sizeof(goja.Value(nil)))
	return len(a) == len(b) && bytes.Equal(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), size),
		unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b))), size))
}

func (l *Layout) prototypeOf(o *goja.Object) *goja.Object {
	return *(**goja.Object)(unsafe.Add(l.data(o), l.regions.prototype))
}

// ViewMemory is the memory that a DataView shows, until JavaScript runs again.
func (l *Layout) ViewMemory(o *goja.Object) (bytes []byte, ok bool) {
	if l.kind(o) != l.views.dataViewKind {
		return nil, false
	}
	w, _ := l.Window(o)
	all := *(*[]byte)(unsafe.Add(*w.buffer, l.views.bufferData))
	from, to := w.Offset(), w.Offset()+w.Length()
	if w.Gone() || from < 0 || to < from || to > len(all) {
		return nil, false
	}
	return all[from:to:to], true
}

// TextMemory is the memory of a text: a byte for each character, or, where wide is true, two for each unit. It does not
// change.
func (l *Layout) TextMemory(v goja.Value) (bytes []byte, wide, ok bool) {
	switch p := pair(&v); p[0] {
	case l.operands.ascii:
		s := *(*string)(p[1])
		return unsafe.Slice(unsafe.StringData(s), len(s)), false, true
	case l.operands.unicode:
		units := (*(*[]uint16)(p[1]))[1:] // behind a mark
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(units))), 2*len(units)), true, true
	}
	return nil, false, false
}

// TextMethod is what a method of texts is now; nil where that cannot be told.
func (l *Layout) TextMethod(rt *goja.Runtime, name string) goja.Value {
	proto := *(**goja.Object)(unsafe.Add(unsafe.Pointer(rt), l.quick.global+l.quick.text))
	if proto == nil {
		return nil
	}
	return l.property(proto, name, proto)
}

// MadeFrom tells whether a value is a function of that very source. around tells that it must have been made in one of
// the scopes around the region.
func (r *Region) MadeFrom(v goja.Value, source string, around bool) bool {
	o, ok := v.(*goja.Object)
	if !ok {
		return false
	}
	f, ok := r.layout.regions.function(r.layout.kind(o))
	if !ok {
		return false
	}
	p := r.layout.data(o)
	text := *(*string)(unsafe.Add(p, f.source))
	if len(text) != len(source) || unsafe.StringData(text) != unsafe.StringData(source) {
		return false
	}
	if !around {
		return true
	}
	made := *(*unsafe.Pointer)(unsafe.Add(p, f.stash))
	for s := *(*unsafe.Pointer)(unsafe.Add(r.vm, r.layout.regions.stash)); s != nil; {
		if s == made {
			return true
		}
		s = *(*unsafe.Pointer)(unsafe.Add(s, r.layout.regions.outer))
	}
	return made == nil
}
