package gojainternals

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/dop251/goja"
)

// Twins of what makes texts of texts in ASCII: with arguments of the kinds that they are meant to have, and up to a
// length that nobody has to be told of.

// letters are the texts of one character in ASCII.
var letters = func() (list [0x80]string) {
	for i := range list {
		list[i] = string(rune(i))
	}
	return list
}()

// letter is a text of one character.
func (l *Layout) letter(c byte) (v goja.Value) {
	*pair(&v) = [2]unsafe.Pointer{l.operands.ascii, unsafe.Pointer(&letters[c])}
	return v
}

// twinTextAt is String.prototype.at.
func twinTextAt(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if s, _, list, ok := l.textAndArguments(vm, n); ok {
		if i, ok := l.place(list, 0, 0); ok {
			if i < 0 {
				i += len(s)
			}
			if uint(i) < uint(len(s)) {
				l.answer(vm, n, l.letter(s[i]))
			} else {
				l.answer(vm, n, goja.Undefined())
			}
			return
		}
	}
	nativeCall.call(p, vm, n)
}

func twinPadStart(p, vm unsafe.Pointer, n int) {
	twinPad(p, vm, n, func(s, pad string) string { return pad + s })
}

func twinPadEnd(p, vm unsafe.Pointer, n int) {
	twinPad(p, vm, n, func(s, pad string) string { return s + pad })
}

func twinPad(p, vm unsafe.Pointer, n int, put func(s, pad string) string) {
	l := polled.layout
	s, this, list, ok := l.textAndArguments(vm, n)
	if !ok || n == 0 || n > 2 {
		nativeCall.call(p, vm, n)
		return
	}
	width, ok := l.place(list, 0, 0)
	fill := " "
	if ok && n == 2 {
		fill, ok = l.ascii(list[1])
	}
	switch more := width - len(s); {
	case !ok || width > maxTwinText:
		nativeCall.call(p, vm, n)
	case more <= 0 || fill == "":
		l.answer(vm, n, this)
	default:
		l.answer(vm, n, l.ASCII(put(s, strings.Repeat(fill, more/len(fill))+fill[:more%len(fill)])))
	}
}

func twinRepeat(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	if s, _, list, ok := l.textAndArguments(vm, n); ok && n == 1 {
		if times, ok := l.place(list, 0, 0); ok && times >= 0 && times <= maxTwinText && times*len(s) <= maxTwinText {
			l.answer(vm, n, l.ASCII(strings.Repeat(s, times)))
			return
		}
	}
	nativeCall.call(p, vm, n)
}

func twinConcat(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	s, _, list, ok := l.textAndArguments(vm, n)
	size := len(s)
	for i := 0; ok && i < len(list); i++ {
		var part string
		part, ok = l.ascii(list[i])
		size += len(part)
	}
	if !ok || size > maxTwinText {
		nativeCall.call(p, vm, n)
		return
	}
	out := append(make([]byte, 0, size), s...)
	for _, v := range list {
		part, _ := l.ascii(v)
		out = append(out, part...)
	}
	l.answer(vm, n, l.ASCII(TextOf(out)))
}

// textReplaced does replace, or replaceAll, of a text by a text without a template; ok is false if goja must do it.
func (l *Layout) textReplaced(vm unsafe.Pointer, n, times int) (ok bool) {
	s, this, list, ok := l.textAndArguments(vm, n)
	if !ok || n != 2 || len(s) > maxTwinText {
		return false
	}
	old, ok := l.ascii(list[0])
	with, too := l.ascii(list[1])
	if !ok || !too || old == "" || strings.IndexByte(with, '$') >= 0 {
		return false
	}
	found := strings.Count(s, old)
	if times > 0 {
		found = min(found, times)
	}
	switch {
	case found == 0:
		l.answer(vm, n, this)
	case len(s)+found*(len(with)-len(old)) > maxTwinText:
		return false
	default:
		l.answer(vm, n, l.ASCII(strings.Replace(s, old, with, found)))
	}
	return true
}

func twinReplaceAll(p, vm unsafe.Pointer, n int) {
	if !polled.layout.textReplaced(vm, n, 0) {
		nativeCall.call(p, vm, n)
	}
}

// mostParts is up to how many parts a text is split here. Each keeps the places of all others in memory.
const mostParts = 64

// textSplit does split of a text by a text without a limit; ok is false if goja must do it.
func (l *Layout) textSplit(vm unsafe.Pointer, n int) (ok bool) {
	s, _, list, ok := l.textAndArguments(vm, n)
	if !ok || n != 1 || len(s) > maxTwinText {
		return false
	}
	by, ok := l.ascii(list[0])
	if !ok {
		return false
	}
	var values []goja.Value
	if by == "" {
		values = make([]goja.Value, len(s))
		for i := range values {
			values[i] = l.letter(s[i])
		}
	} else {
		count := strings.Count(s, by) + 1
		values = make([]goja.Value, 0, count)
		for more := true; more; count -= mostParts {
			var part string
			for texts := make([]string, 0, min(count, mostParts)); more && len(texts) < cap(texts); {
				part, s, more = strings.Cut(s, by)
				texts = append(texts, part)
				var v goja.Value
				*pair(&v) = [2]unsafe.Pointer{l.operands.ascii, unsafe.Pointer(&texts[len(texts)-1])}
				values = append(values, v)
			}
		}
	}
	o := l.lightArray(*(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime)), values)
	if o == nil {
		return false
	}
	l.answer(vm, n, o)
	return true
}

// twinJoin is Array.prototype.join of an array of texts in ASCII and integers.
func twinJoin(p, vm unsafe.Pointer, n int) {
	l := polled.layout
	o, list := l.arguments(vm, n)
	by, ok := ",", n <= 1
	if n == 1 {
		by, ok = l.ascii(list[0])
	}
	if !ok || o == nil || !l.isArray(o) {
		nativeCall.call(p, vm, n)
		return
	}
	a := (*arrayMirror)(l.data(o))
	if uint64(a.length) != uint64(len(a.values)) || len(a.values) > maxTwinText {
		nativeCall.call(p, vm, n)
		return
	}
	size := len(by) * max(len(a.values)-1, 0)
	for _, v := range a.values {
		if text, ok := l.ascii(v); ok {
			size += len(text)
		} else if kindOf(v) == l.operands.integer {
			size += len("-9007199254740991")
		} else {
			size = maxTwinText + 1
		}
		if size > maxTwinText {
			nativeCall.call(p, vm, n)
			return
		}
	}
	out := make([]byte, 0, size)
	for i, v := range a.values {
		if i > 0 {
			out = append(out, by...)
		}
		if number, ok := l.Integer(v); ok {
			out = strconv.AppendInt(out, number, 10)
		} else {
			text, _ := l.ascii(v)
			out = append(out, text...)
		}
	}
	l.answer(vm, n, l.ASCII(TextOf(out)))
}
