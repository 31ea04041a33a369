package gojainternals

import (
	"reflect"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/dop251/goja"
)

// Texts of Go, which goja looks at when somebody first asks for a character. What the platform gives scripts are such
// texts: they are known here as those that scripts make.

// importedMirror is a text of Go.
type importedMirror struct {
	s       string
	u       []uint16 // with a mark before it; nil: nothing beyond ASCII
	scanned bool
}

// likeImported fails unless texts of Go are as they are known here.
func (r *reader) likeImported(t reflect.Type) {
	ours := reflect.TypeFor[importedMirror]()
	for i := range ours.NumField() {
		f := ours.Field(i)
		at, of := r.field(t, f.Name, nil)
		if r.err == nil && (at != f.Offset || of.Kind() != f.Type.Kind() || t.Size() != ours.Size()) {
			r.fail("%s.%s is a %s at %d", t, f.Name, of, at)
		}
	}
}

// looked is a text of Go at which goja has looked.
func (l *Layout) looked(p unsafe.Pointer) *importedMirror {
	text := (*importedMirror)(p)
	if !text.scanned {
		var v goja.Value
		*pair(&v) = [2]unsafe.Pointer{l.operands.imported, p}
		v.(goja.String).Length()
	}
	return text
}

// ascii is a value that is a text in ASCII.
func (l *Layout) ascii(v goja.Value) (s string, ok bool) {
	switch p := pair(&v); p[0] {
	case l.operands.ascii:
		return *(*string)(p[1]), true
	case l.operands.imported:
		if text := l.looked(p[1]); text.u == nil {
			return text.s, true
		}
	}
	return "", false
}

// made is a text as scripts make them, if it is a short one of Go.
func (l *Layout) made(v goja.Value) goja.Value {
	p := pair(&v)
	if p[0] != l.operands.imported || len((*importedMirror)(p[1]).s) > maxTwinText {
		return v
	}
	text := l.looked(p[1])
	if text.u == nil {
		return l.ASCII(text.s)
	}
	*p = [2]unsafe.Pointer{l.operands.unicode, unsafe.Pointer(&text.u)}
	return v
}

// AppendUTF8 appends a text in UTF-8, with U+FFFD for the lone half of a pair.
func AppendUTF8(to []byte, s goja.String) []byte {
	v, l := goja.Value(s), polled.layout
	p := pair(&v)
	if l == nil || p[0] != l.operands.unicode {
		return append(to, s.String()...)
	}
	units := (*(*[]uint16)(p[1]))[1:] // behind a mark
	if more := len(units) + len(units)/8; cap(to)-len(to) < more {
		to = append(make([]byte, 0, len(to)+more), to...)
	}
	for i := 0; i < len(units); i++ {
		for ; len(units)-i >= 4 && units[i]|units[i+1]|units[i+2]|units[i+3] < utf8.RuneSelf; i += 4 {
			to = append(to, byte(units[i]), byte(units[i+1]), byte(units[i+2]), byte(units[i+3]))
		}
		if i == len(units) {
			break
		}
		r := rune(units[i])
		if utf16.IsSurrogate(r) {
			var low rune
			if i+1 < len(units) {
				low = rune(units[i+1])
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i++
			}
		}
		to = utf8.AppendRune(to, r)
	}
	return to
}

// UTF8 is a text in UTF-8, as AppendUTF8 has it.
func UTF8(s goja.String) string {
	v := goja.Value(s)
	if l := polled.layout; l == nil || kindOf(v) != l.operands.unicode {
		return s.String()
	}
	return TextOf(AppendUTF8(nil, s))
}
