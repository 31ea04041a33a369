package gojainternals

import (
	"io"
	"reflect"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/dop251/goja"
)

// A step of an iterator of a text, as for-of, patterns and spread take it, without the object for the result.

// textIterFields says where an iterator of a text keeps what it reads from.
type textIterFields struct {
	object unsafe.Pointer // its kind
	next   uintptr        // the code of its method next
	reader uintptr
	ascii  [utf8.RuneSelf]goja.Value // the texts of one character of ASCII
}

func (l *Layout) readTextIterators(r *reader) {
	f := &l.quick.texts
	iterator := r.object("'ab'[Symbol.iterator]()")
	native, ok := l.Native(r.object("''[Symbol.iterator]().next"))
	if r.err != nil || !ok {
		r.fail("iterators of texts have no native next")
		return
	}
	t, _ := self(iterator)
	f.object, f.next = l.kind(iterator), codeOf(*native.Call)
	f.reader, _ = r.field(t.Elem(), "reader", reflect.TypeFor[io.RuneReader]())
	for c := range f.ascii {
		f.ascii[c] = l.ASCII(string(rune(c)))
	}
}

// ofText is the place of what an iterator of a text reads from, nil if it is none of those, or has another next.
func (l *Layout) ofText(iterator *goja.Object, next uintptr) *io.RuneReader {
	if next != l.quick.texts.next || l.kind(iterator) != l.quick.texts.object {
		return nil
	}
	return (*io.RuneReader)(unsafe.Add(l.data(iterator), l.quick.texts.reader))
}

// advanceText takes a step of an iterator of a text.
func (l *Layout) advanceText(from *io.RuneReader) (goja.Value, stepped) {
	if *from == nil {
		return nil, ended
	}
	c, _, err := (*from).ReadRune()
	if err != nil {
		*from = nil
		return nil, ended
	}
	return l.character(c), gave
}

// character is a text of one character, which may be half of a pair.
func (l *Layout) character(c rune) (v goja.Value) {
	if c < utf8.RuneSelf {
		return l.quick.texts.ascii[c]
	}
	units := append([]uint16{textMark}, uint16(c))
	if c > 0xffff {
		high, low := utf16.EncodeRune(c)
		units = []uint16{textMark, uint16(high), uint16(low)}
	}
	*pair(&v) = [2]unsafe.Pointer{l.operands.unicode, unsafe.Pointer(&units)}
	return v
}

// characterAt is what a text has at an index, nil if there is nothing or it is no text.
func (l *Layout) characterAt(text *[2]unsafe.Pointer, at int64) goja.Value {
	var narrow string
	var wide []uint16 // behind a mark
	switch text[0] {
	case l.operands.ascii:
		narrow = *(*string)(text[1])
	case l.operands.unicode:
		wide = *(*[]uint16)(text[1])
	case l.operands.imported:
		t := l.looked(text[1])
		if wide = t.u; wide == nil {
			narrow = t.s
		}
	default:
		return nil
	}
	switch {
	case uint64(at) < uint64(len(narrow)) && narrow[at] < utf8.RuneSelf:
		return l.quick.texts.ascii[narrow[at]]
	case at >= 0 && at < int64(len(wide))-1:
		return l.character(rune(wide[at+1]))
	}
	return nil
}

// textMark stands in front of the units of a text that is not in ASCII.
const textMark = 0xfeff

// takeText gives what the iterator of a loop that has just begun gives of a text, and ends the loop. It does nothing,
// and tells so, if it is another iterator.
func (l *Layout) takeText(vm, record unsafe.Pointer, values *[]goja.Value) bool {
	iterator := *(**goja.Object)(unsafe.Add(record, l.quick.iterator))
	if iterator == nil {
		return false
	}
	from := l.ofText(iterator, codeOf(*(*func(goja.FunctionCall) goja.Value)(unsafe.Add(record, l.quick.next))))
	if from == nil {
		return false
	}
	for {
		v, how := l.advanceText(from)
		if how == ended {
			l.drop(vm)
			return true
		}
		*values = append(*values, v)
	}
}

// shortText tells whether a value is a text that is not too long to be taken apart at once.
func (l *Layout) shortText(v goja.Value) bool {
	switch p := pair(&v); p[0] {
	case l.operands.ascii:
		return len(*(*string)(p[1])) <= manyCharacters
	case l.operands.unicode:
		return len(*(*[]uint16)(p[1])) <= manyCharacters
	}
	return false
}

// manyCharacters is up to how many of them are taken without a look at an interrupt.
const manyCharacters = 1 << 12
