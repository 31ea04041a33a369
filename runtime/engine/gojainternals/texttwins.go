package gojainternals

import (
	"strings"
	"unsafe"

	"github.com/dop251/goja"
)

// Twins of what scripts ask of short texts in ASCII most, with arguments of the kinds that they are meant to have.

// maxTwinText is the length up to which a text is gone over without a look for an interrupt.
const maxTwinText = 1 << 14

// textAndArguments are a text in ASCII and the arguments of a call of its method; ok is false if goja must do the call.
func (l *Layout) textAndArguments(vm unsafe.Pointer, n int) (s string, this goja.Value, list []goja.Value, ok bool) {
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := *(*int)(unsafe.Add(vm, l.machine.sp))
	this, list = stack[sp-n-2], stack[sp-n:sp]
	s, ok = l.ascii(this)
	return s, this, list, ok
}

// place is an argument that is an integer, or otherwise if it is not given.
func (l *Layout) place(list []goja.Value, i int, otherwise int) (n int, ok bool) {
	if i >= len(list) {
		return otherwise, true
	}
	p := pair(&list[i])
	if p[0] != l.operands.integer {
		return 0, false
	}
	return int(*(*int64)(p[1])), true
}

// other is an argument that is a text in ASCII, with a place behind it that lies within a length, or otherwise.
func (l *Layout) other(list []goja.Value, length, otherwise int) (s string, place int, ok bool) {
	if len(list) == 0 || len(list) > 2 {
		return "", 0, false
	}
	if s, ok = l.ascii(list[0]); !ok {
		return "", 0, false
	}
	place, ok = l.place(list, 1, otherwise)
	return s, min(max(place, 0), length), ok
}

// textAndPlace is textAndArguments for a method of one place, which lies within the text.
func (l *Layout) textAndPlace(vm unsafe.Pointer, n int) (s string, i int, ok bool) {
	s, _, list, ok := l.textAndArguments(vm, n)
	if !ok {
		return "", 0, false
	}
	i, ok = l.place(list, 0, 0)
	return s, i, ok && uint(i) < uint(len(s))
}

func twinCharCodeAt(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if s, i, ok := l.textAndPlace(vm, n); ok {
		l.answer(vm, n, l.integer(int64(s[i])))
		return
	}
	nativeCall.call(p, vm, n)
}

func twinCharAt(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if s, i, ok := l.textAndPlace(vm, n); ok {
		l.answer(vm, n, l.letter(s[i]))
		return
	}
	nativeCall.call(p, vm, n)
}

// textAndRange is textAndArguments for a method of two places, which may lie anywhere.
func (l *Layout) textAndRange(vm unsafe.Pointer, n int) (s string, this goja.Value, from, to int, ok bool) {
	s, this, list, ok := l.textAndArguments(vm, n)
	if !ok {
		return "", nil, 0, 0, false
	}
	from, known := l.place(list, 0, 0)
	to, too := l.place(list, 1, len(s))
	return s, this, from, to, known && too
}

// twinSlice is String.prototype.slice.
func twinSlice(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if s, this, from, to, ok := l.textAndRange(vm, n); ok {
		within := func(i int) int {
			if i < 0 {
				i += len(s)
			}
			return min(max(i, 0), len(s))
		}
		l.answer(vm, n, l.part(s, this, within(from), within(to)))
		return
	}
	nativeCall.call(p, vm, n)
}

func twinSubstring(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if s, this, from, to, ok := l.textAndRange(vm, n); ok {
		from, to = min(max(from, 0), len(s)), min(max(to, 0), len(s))
		l.answer(vm, n, l.part(s, this, min(from, to), max(from, to)))
		return
	}
	nativeCall.call(p, vm, n)
}

// part is what a text has between two places.
func (l *Layout) part(s string, this goja.Value, from, to int) goja.Value {
	switch {
	case from >= to:
		return l.ASCII("")
	case to-from == len(s):
		return this
	case to-from == 1:
		return l.letter(s[from])
	}
	return l.ASCII(s[from:to])
}

func twinIncludes(p, vm unsafe.Pointer, n int) {
	twinSearch(p, vm, n, false, func(l *Layout, s, other string, from int) goja.Value {
		return l.boolean(strings.Contains(s[from:], other))
	})
}

func twinStartsWith(p, vm unsafe.Pointer, n int) {
	twinSearch(p, vm, n, false, func(l *Layout, s, other string, from int) goja.Value {
		return l.boolean(strings.HasPrefix(s[from:], other))
	})
}

func twinEndsWith(p, vm unsafe.Pointer, n int) {
	twinSearch(p, vm, n, true, func(l *Layout, s, other string, to int) goja.Value {
		return l.boolean(strings.HasSuffix(s[:to], other))
	})
}

func twinIndexOf(p, vm unsafe.Pointer, n int) {
	twinSearch(p, vm, n, false, func(l *Layout, s, other string, from int) goja.Value {
		if i := strings.Index(s[from:], other); i >= 0 {
			return l.integer(int64(from + i))
		}
		return l.integer(-1)
	})
}

// twinLastIndexOf is String.prototype.lastIndexOf: the place is the last at which what is found may begin.
func twinLastIndexOf(p, vm unsafe.Pointer, n int) {
	twinSearch(p, vm, n, true, func(l *Layout, s, other string, last int) goja.Value {
		return l.integer(int64(strings.LastIndex(s[:min(last+len(other), len(s))], other)))
	})
}

// twinSearch looks for a text from a place on: the beginning, or the end, if none is given.
func twinSearch(p, vm unsafe.Pointer, n int, end bool,
	answer func(l *Layout, s, other string, place int) goja.Value) {
	l := polled.layout
	if s, _, list, ok := l.textAndArguments(vm, n); ok && len(s) <= maxTwinText {
		otherwise := 0
		if end {
			otherwise = len(s)
		}
		if other, place, ok := l.other(list, len(s), otherwise); ok {
			l.answer(vm, n, answer(l, s, other, place))
			return
		}
	}
	nativeCall.call(p, vm, n)
}

// blanks are the characters in ASCII that trim takes off.
const blanks = "\t\n\v\f\r "

func twinTrim(p, vm unsafe.Pointer, n int)      { twinCut(p, vm, n, true, true) }
func twinTrimStart(p, vm unsafe.Pointer, n int) { twinCut(p, vm, n, true, false) }
func twinTrimEnd(p, vm unsafe.Pointer, n int)   { twinCut(p, vm, n, false, true) }

func twinCut(p, vm unsafe.Pointer, n int, left, right bool) {
	l := polled.layout
	s, this, _, ok := l.textAndArguments(vm, n)
	if !ok || len(s) > maxTwinText {
		nativeCall.call(p, vm, n)
		return
	}
	from, to := 0, len(s)
	for left && from < to && strings.IndexByte(blanks, s[from]) >= 0 {
		from++
	}
	for right && from < to && strings.IndexByte(blanks, s[to-1]) >= 0 {
		to--
	}
	l.answer(vm, n, l.part(s, this, from, to))
}

func twinLower(p, vm unsafe.Pointer, n int) { twinCase(p, vm, n, 'A', strings.ToLower) }
func twinUpper(p, vm unsafe.Pointer, n int) { twinCase(p, vm, n, 'a', strings.ToUpper) }

// twinCase changes a text that has one of the 26 letters from first on; any other is the answer itself.
func twinCase(p, vm unsafe.Pointer, n int, first byte, change func(string) string) {
	l := polled.layout
	s, this, _, ok := l.textAndArguments(vm, n)
	if !ok || len(s) > maxTwinText {
		nativeCall.call(p, vm, n)
		return
	}
	for i := range len(s) {
		if s[i]-first < 26 {
			l.answer(vm, n, l.ASCII(change(s)))
			return
		}
	}
	l.answer(vm, n, this)
}

// twinAt is Array.prototype.at of an array.
func twinAt(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if o, list := l.arguments(vm, n); o != nil && l.isArray(o) {
		if i, ok := l.place(list, 0, 0); ok {
			if i < 0 {
				i += int((*arrayMirror)(l.data(o)).length)
			}
			if v := l.elementAt(o, int64(i)); v != nil {
				l.answer(vm, n, v)
				return
			}
		}
	}
	nativeCall.call(p, vm, n)
}

// twinIsArray is Array.isArray of arrays, plain objects and what is no object.
func twinIsArray(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if _, list := l.arguments(vm, n); n > 0 {
		of := pair(&list[0])
		if of[0] != l.quick.object {
			l.answer(vm, n, l.quick.no)
			return
		}
		o := (*goja.Object)(of[1])
		array := l.isArray(o)
		if _, literal := l.literal(o); array || literal || l.plainKind(l.kind(o)) {
			l.answer(vm, n, l.boolean(array))
			return
		}
	}
	nativeCall.call(p, vm, n)
}
