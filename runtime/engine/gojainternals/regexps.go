package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// regexpFields says where a RegExp object keeps what it matches.
type regexpFields struct {
	kind             unsafe.Pointer
	source, standard uintptr

	iterator   unsafe.Pointer // the kind of what matchAll returns
	codePoints uintptr

	guarded unsafe.Pointer // the kind of RegExp.prototype until one of its guarded properties is changed
	guards  uintptr        // their names
	watched unsafe.Pointer // that kind when it is watched, too
}

// regexpMirror is a RegExp object as goja keeps it.
type regexpMirror struct {
	baseObject baseMirror
	pattern    unsafe.Pointer
	source     goja.String
	standard   bool
}

func (l *Layout) readRegExps(r *reader) {
	probe := r.object("/x/")
	t, _ := self(probe)
	l.regexps.kind = l.kind(probe)
	l.regexps.source, _ = r.field(t.Elem(), "source", reflect.TypeFor[goja.String]())
	l.regexps.standard, _ = r.field(t.Elem(), "standard", reflect.TypeFor[bool]())
	if r.err != nil {
		return
	}
	r.alike(reflect.TypeFor[regexpMirror](), t.Elem())

	probe = r.object("'x'.matchAll(/x/g)")
	t, _ = self(probe)
	l.regexps.iterator = l.kind(probe)
	l.regexps.codePoints, _ = r.field(t.Elem(), "fullUnicode", reflect.TypeFor[bool]())

	probe = r.object("RegExp.prototype")
	if r.err != nil {
		return
	}
	t, _ = self(probe)
	l.regexps.guarded = l.kind(probe)
	l.regexps.guards, _ = r.field(t.Elem(), "guardedProps", reflect.TypeFor[map[unistring.String]struct{}]())
	changed, err := goja.New().RunString("RegExp.prototype.exec = 1, RegExp.prototype")
	if err != nil || r.err == nil && l.kind(changed.(*goja.Object)) == l.regexps.guarded {
		r.fail("goja does not tell when RegExp.prototype changes (%v)", err)
	}
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

// GuardRegExps makes [Layout.Pristine] look after more properties of the prototype of RegExp objects than the method
// exec and the flags that goja knows. The prototype must be as goja has made it.
func (l *Layout) GuardRegExps(proto *goja.Object, names ...unistring.String) {
	guarded := *(*map[unistring.String]struct{})(unsafe.Add(l.data(proto), l.regexps.guards))
	for _, name := range names {
		guarded[name] = struct{}{}
	}
}

// Pristine tells whether a RegExp object has no own properties but lastIndex, and inherits what is guarded as it was.
func (l *Layout) Pristine(o, proto *goja.Object) bool {
	if kind := l.kind(proto); l.kind(o) != l.regexps.kind || kind != l.regexps.guarded && kind != l.regexps.watched {
		return false
	}
	b := l.baseOf(o)
	return b.prototype == proto && len(b.propNames) == 1 && b.symValues == nil
}

// LastIndex is where a RegExp object keeps the value of lastIndex, nil if that cannot be written.
func (l *Layout) LastIndex(o *goja.Object) *goja.Value {
	v := l.baseOf(o).values["lastIndex"]
	of := pair(&v)
	if of[0] != l.quick.accessor {
		return nil
	}
	if p := (*propertyMirror)(of[1]); p.writable && !p.accessor {
		return &p.value
	}
	return nil
}

// lastIndexAlone are the names of what a RegExp object has itself.
var lastIndexAlone = sharedNames("lastIndex")

// CopyRegExp makes a RegExp object that matches as another one does, with source as its pattern for what reads that,
// and off goja's fast paths.
func (l *Layout) CopyRegExp(like, proto *goja.Object, source goja.String) *goja.Object {
	m := new(struct {
		object goja.Object
		regexp regexpMirror
		last   propertyMirror
	})
	x := &m.regexp
	b := &x.baseObject
	b.class, b.val, b.prototype, b.extensible = l.baseOf(like).class, &m.object, proto, true
	x.pattern, x.source = (*regexpMirror)(l.data(like)).pattern, source
	m.last.value, m.last.writable = l.integer(0), true
	b.values = map[unistring.String]goja.Value{"lastIndex": l.attributed(&m.last)}
	b.propNames = lastIndexAlone
	l.become(l.runtimeOf(like), &m.object, l.regexps.kind, unsafe.Pointer(x))
	return &m.object
}

// BytesInASCII is the memory of a text in ASCII; ok is false for another one. Nobody may write to it.
func (l *Layout) BytesInASCII(v goja.Value) (text []byte, ok bool) {
	if of := pair(&v); of[0] == l.operands.ascii {
		return BytesOf(*(*string)(of[1])), true
	}
	return nil, false
}

// UnitsInMemory is the memory of a text that has more than ASCII in it, in units of UTF-16; ok is false for one in
// ASCII and for one that came from Go. Nobody may write to it.
func (l *Layout) UnitsInMemory(v goja.Value) (text []uint16, ok bool) {
	if of := pair(&v); of[0] == l.operands.unicode {
		return (*(*[]uint16)(of[1]))[1:], true // behind the mark of their order
	}
	return nil, false
}

// SameMemory tells without a look at them whether two texts are one in memory. Equal texts need not be.
func (l *Layout) SameMemory(a, b goja.Value) bool { return *pair(&a) == *pair(&b) }

// BytesOf is the memory of a text, which a matcher runs over without a copy. Nobody may write to it.
func BytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }
