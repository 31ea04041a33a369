package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// regexpFields says where a RegExp object keeps what it matches.
type regexpFields struct {
	kind             unsafe.Pointer
	source, standard uintptr

	iterator   unsafe.Pointer // the kind of what matchAll returns
	codePoints uintptr
}

func (l *Layout) readRegExps(r *reader) {
	probe := r.object("/x/")
	t, _ := self(probe)
	l.regexps.kind = l.kind(probe)
	l.regexps.source, _ = r.field(t.Elem(), "source", reflect.TypeFor[goja.String]())
	l.regexps.standard, _ = r.field(t.Elem(), "standard", reflect.TypeFor[bool]())

	probe = r.object("'x'.matchAll(/x/g)")
	t, _ = self(probe)
	l.regexps.iterator = l.kind(probe)
	l.regexps.codePoints, _ = r.field(t.Elem(), "fullUnicode", reflect.TypeFor[bool]())
}

// IsRegExp tells whether o is a RegExp object.
func (l *Layout) IsRegExp(o *goja.Object) bool { return l.kind(o) == l.regexps.kind }

// RegExpSource points at the pattern text of a RegExp object. Any value of ours that embeds a String may stand there.
func (l *Layout) RegExpSource(o *goja.Object) *goja.String {
	return (*goja.String)(unsafe.Add(l.data(o), l.regexps.source))
}

// StepByCodePoints makes what matchAll returned go on, after an empty match, behind a whole code point. goja does so
// for the flag u only.
func (l *Layout) StepByCodePoints(iterator *goja.Object) {
	if l.kind(iterator) == l.regexps.iterator {
		*(*bool)(unsafe.Add(l.data(iterator), l.regexps.codePoints)) = true
	}
}

// LeaveFastPaths tells goja that a RegExp object's methods are to be called as the standard says, and not by what goja
// knows of its own.
func (l *Layout) LeaveFastPaths(o *goja.Object) {
	*(*bool)(unsafe.Add(l.data(o), l.regexps.standard)) = false
}

// BytesOf is the memory of a text, which a matcher runs over without a copy. Nobody may write to it.
func BytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }
