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
	// Replace is replace of a text in ASCII with o and a template in ASCII.
	Replace(o *goja.Object, text, template goja.String) goja.Value
	// Match is match of a text in ASCII with o.
	Match(o *goja.Object, text goja.String) goja.Value
	// Split is split of a text in ASCII by o, without a limit.
	Split(o *goja.Object, text goja.String) goja.Value
}

// matching is the pattern of this of a call, with the text that is its argument.
func (l *Layout) matching(vm unsafe.Pointer, n int) (m Matching, o *goja.Object, text goja.String) {
	o, list := l.arguments(vm, n)
	if n == 0 || o == nil || l.kind(o) != l.regexps.kind {
		return nil, nil, nil
	}
	of := l.made(list[0])
	if kind := kindOf(of); kind != l.operands.ascii && kind != l.operands.unicode || l.Long(of) {
		return nil, nil, nil
	}
	m, _ = (*l.RegExpSource(o)).(Matching)
	return m, o, of.(goja.String)
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

// HeldSymbol watches a method, or a getter, that an object has under a symbol: same tells whether it is still what it
// was. It is nil if there is none.
func (l *Layout) HeldSymbol(o *goja.Object, name *goja.Symbol) (same func() bool) {
	list := (*orderedMirror)(l.baseOf(o).symValues)
	if list == nil {
		return nil
	}
	for e := list.iterFirst; e != nil; e = e.iterNext {
		if s, ok := e.key.(*goja.Symbol); !ok || s != name || kindOf(e.value) != l.quick.accessor {
			continue
		}
		place := *pair(&e.value)
		p := (*propertyMirror)(place[1])
		value, getter, accessor := *pair(&p.value), p.getterFunc, p.accessor
		return func() bool {
			return *pair(&e.value) == place && *pair(&p.value) == value && p.getterFunc == getter &&
				p.accessor == accessor
		}
	}
	return nil
}

// matchedBy is the pattern of the first argument of a call of a method of a text in ASCII, which must have n of them.
func (l *Layout) matchedBy(vm unsafe.Pointer, n, want int) (m Matching, o *goja.Object, text, last goja.Value) {
	s, text, list, ok := l.textAndArguments(vm, n)
	if !ok || n != want || len(s) > maxTwinText {
		return nil, nil, nil, nil
	}
	of := pair(&list[0])
	if of[0] != l.quick.object {
		return nil, nil, nil, nil
	}
	if o = (*goja.Object)(of[1]); l.kind(o) != l.regexps.kind {
		return nil, nil, nil, nil
	}
	m, _ = (*l.RegExpSource(o)).(Matching)
	return m, o, l.made(text), l.made(list[n-1])
}

func twinReplace(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if m, o, text, with := l.matchedBy(vm, n, 2); m != nil && kindOf(with) == l.operands.ascii {
		if v := m.Replace(o, text.(goja.String), with.(goja.String)); v != nil {
			l.answer(vm, n, v)
			return
		}
	}
	if !l.textReplaced(vm, n, 1) {
		nativeCall.call(p, vm, n)
	}
}

func twinMatch(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if m, o, text, _ := l.matchedBy(vm, n, 1); m != nil {
		if v := m.Match(o, text.(goja.String)); v != nil {
			l.answer(vm, n, v)
			return
		}
	}
	nativeCall.call(p, vm, n)
}

func twinSplit(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if m, o, text, _ := l.matchedBy(vm, n, 1); m != nil {
		if v := m.Split(o, text.(goja.String)); v != nil {
			l.answer(vm, n, v)
			return
		}
	}
	if !l.textSplit(vm, n) {
		nativeCall.call(p, vm, n)
	}
}
