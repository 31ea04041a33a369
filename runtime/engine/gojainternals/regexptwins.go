package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
)

// Matching is a pattern in the source slot of a RegExp object that matches by itself. What its methods return is nil
// where the built-in must do all of the call: they have done nothing then. They run no script and throw nothing.
type Matching interface {
	goja.String
	// Test is RegExp.prototype.test of o, whose source the pattern is.
	Test(o *goja.Object, text goja.String) goja.Value
	// Exec is RegExp.prototype.exec of o.
	Exec(o *goja.Object, text goja.String) goja.Value
}

// matching is the pattern of this of a call, with the text that is its argument.
func (l *Layout) matching(vm unsafe.Pointer, n int) (m Matching, o *goja.Object, text goja.String) {
	o, list := l.arguments(vm, n)
	if n == 0 || o == nil || l.kind(o) != l.regexps.kind {
		return nil, nil, nil
	}
	if kind := pair(&list[0])[0]; kind != l.operands.ascii && kind != l.operands.unicode || l.Long(list[0]) {
		return nil, nil, nil
	}
	m, _ = (*l.RegExpSource(o)).(Matching)
	return m, o, list[0].(goja.String)
}

func twinTest(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if m, o, text := l.matching(vm, n); m != nil {
		if v := m.Test(o, text); v != nil {
			l.answer(vm, n, v)
			return
		}
	}
	nativeCall.call(p, vm, n)
}

func twinExec(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if m, o, text := l.matching(vm, n); m != nil {
		if v := m.Exec(o, text); v != nil {
			l.answer(vm, n, v)
			return
		}
	}
	nativeCall.call(p, vm, n)
}
