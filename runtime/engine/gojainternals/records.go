package gojainternals

import (
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// Name is the name of a property as goja keeps it.
type Name = unistring.String

// NameOf makes a name of a text in UTF-8.
func NameOf(text string) Name { return unistring.NewFromString(text) }

// TextOf is a text whose memory is that of a list of bytes: until somebody changes the list.
func TextOf(list []byte) string { return unsafe.String(unsafe.SliceData(list), len(list)) }

// Record is a plain object that is being made, and that no script has seen.
type Record struct {
	Object *goja.Object
	names  *[]Name
	values map[Name]goja.Value
}

// NewRecord makes an object without properties.
func (l *Layout) NewRecord(rt *goja.Runtime) Record {
	o := l.plainObject(rt)
	data := l.data(o)
	return Record{
		Object: o,
		names:  (*[]Name)(unsafe.Add(data, l.quick.copies.names)),
		values: *(*map[Name]goja.Value)(unsafe.Add(data, l.quick.copies.values)),
	}
}

// Put gives it a property. room is how many it may get, as far as one knows.
func (r *Record) Put(name Name, v goja.Value, room int) {
	size := len(r.values)
	r.values[name] = v
	if len(r.values) == size {
		return
	}
	if *r.names == nil {
		*r.names = make([]Name, 0, max(room, 4))
	}
	*r.names = append(*r.names, name)
}

// Names are the names of the properties so far. Nobody may write to the list.
func (r *Record) Names() []Name { return *r.names }

// Shape is what plain objects with the same names in the same order have in common: they are made as those of object
// literals are.
type Shape struct{ group *lazyGroup }

// NewShape is nil if objects of these names cannot be made so. The names differ.
func (l *Layout) NewShape(names []Name) *Shape {
	if len(names) == 0 || len(names) > maxLiteral {
		return nil
	}
	for _, name := range names {
		if !literalName(string(name)) {
			return nil
		}
	}
	return &Shape{&lazyGroup{layout: l, names: append([]Name(nil), names...)}}
}

// Names are those of the shape. Nobody may write to the list.
func (s *Shape) Names() []Name { return s.group.names }

// Pays tells whether it is worth while: objects that scripts change become goja's own.
func (s *Shape) Pays() bool { return !s.group.worth.none.Load() }

// Shaped makes an object of the shape with a value for each name.
func (l *Layout) Shaped(rt *goja.Runtime, s *Shape, values []goja.Value) *goja.Object {
	z := l.begun(rt, s)
	for i, v := range values {
		*z.value(i) = v
	}
	z.index = len(values)
	return &z.object
}

func (l *Layout) begun(rt *goja.Runtime, s *Shape) *lazyObject {
	z := literalOf(s.group)
	s.group.worth.made(z)
	l.become(rt, &z.object, unsafe.Pointer(&lazily.literals[0]), unsafe.Pointer(z))
	return z
}

// Begun makes an object of the shape that has no properties yet.
func (l *Layout) Begun(rt *goja.Runtime, s *Shape) *goja.Object { return &l.begun(rt, s).object }

// Continue gives an object that was begun the next property of its shape. ok is false if that has another name, or if
// the object is not what it was any more; then nothing has happened.
func (l *Layout) Continue(o *goja.Object, name string, v goja.Value) (ok bool) {
	z, ok := l.literal(o)
	if !ok || z.index >= len(z.group.names) || string(z.group.names[z.index]) != name {
		return false
	}
	*z.value(z.index) = v
	z.index++
	return true
}

// End tells whether an object that was begun has all properties of its shape. One that has not becomes goja's own.
func (l *Layout) End(o *goja.Object) (whole bool) {
	z, ok := l.literal(o)
	if ok && z.index == len(z.group.names) {
		return true
	}
	l.settled(o)
	return false
}

// Truth is true or false.
func (l *Layout) Truth(v bool) goja.Value {
	if v {
		return l.quick.yes
	}
	return l.quick.no
}

// Size is how many bytes a text takes. It does not look at the text.
func (l *Layout) Size(s goja.String) int {
	v := goja.Value(s)
	switch p := pair(&v); p[0] {
	case l.operands.ascii:
		return len(*(*string)(p[1]))
	case l.operands.imported:
		return len(*(*string)(unsafe.Add(p[1], l.operands.text)))
	}
	return 2 * s.Length()
}

// UTF8 is a text in UTF-8; ok is false if it has half of a surrogate pair. It does not look at a text of Go's as a
// whole, as String.Length does.
func (l *Layout) UTF8(s goja.String) (text string, ok bool) {
	v := goja.Value(s)
	switch p := pair(&v); p[0] {
	case l.operands.ascii:
		return *(*string)(p[1]), true
	case l.operands.imported:
		text = *(*string)(unsafe.Add(p[1], l.operands.text))
		return text, utf8.ValidString(text)
	case l.operands.unicode:
		units := (*(*[]uint16)(p[1]))[1:] // behind a mark
		out := make([]byte, 0, len(units)+len(units)/4)
		for i := 0; i < len(units); i++ {
			r := rune(units[i])
			if r < utf8.RuneSelf {
				out = append(out, byte(r))
				continue
			}
			if utf16.IsSurrogate(r) {
				if i+1 == len(units) {
					return "", false
				}
				if r = utf16.DecodeRune(r, rune(units[i+1])); r == utf8.RuneError {
					return "", false
				}
				i++
			}
			out = utf8.AppendRune(out, r)
		}
		return TextOf(out), true
	}
	return "", false
}
