package gojainternals

import (
	"strconv"
	"unsafe"

	"github.com/dop251/goja"
)

// A text that a script builds by text += more would be copied at each step. A sum whose left side was a sum itself
// gets room behind it, and the next sum goes there: nobody sees what lies behind the end of a text, and each place
// is written once, because only the text that ends where the room begins can be continued.

// sums are the texts of a machine that were sums last. They lie behind its tracker.
type sums struct {
	list [4]sum
	next int
}

// sum is a text of used bytes in a place of size bytes.
type sum struct {
	data       unsafe.Pointer
	used, size int
}

// Sums are kept from shortSum bytes on, up to longSum: beyond, whoever builds such a text copies it.
const shortSum, longSum = 64, 4 << 20

// added is the sum of two texts, or of a text and an integer; nil if goja must find it. Texts have nothing beyond
// ASCII.
func (l *Layout) added(vm unsafe.Pointer, left, right goja.Value) goja.Value {
	text, ok := l.ascii(left)
	if !ok {
		return nil
	}
	switch b := pair(&right); b[0] {
	case l.operands.ascii, l.operands.imported:
		more, ok := l.ascii(right)
		if !ok || text == "" || more == "" {
			return nil
		}
		return l.joined(vm, text, more)
	case l.operands.integer:
		var digits [20]byte
		list := strconv.AppendInt(digits[:0], *(*int64)(b[1]), 10)
		return l.joined(vm, text, unsafe.String(unsafe.SliceData(list), len(list)))
	}
	return nil
}

// shortText is a short text as a value, in one piece.
type shortText struct {
	text  string
	bytes [16]byte
}

// joined is the sum of two texts as a value.
func (l *Layout) joined(vm unsafe.Pointer, text, more string) (v goja.Value) {
	n := len(text) + len(more)
	if n > len(shortText{}.bytes) {
		return l.ASCII(l.continued(vm, text, more))
	}
	s := new(shortText)
	copy(s.bytes[copy(s.bytes[:], text):], more)
	s.text = unsafe.String(&s.bytes[0], n)
	*pair(&v) = [2]unsafe.Pointer{l.operands.ascii, unsafe.Pointer(&s.text)}
	return v
}

// continued is a text with more behind it.
func (l *Layout) continued(vm unsafe.Pointer, text, more string) string {
	n := len(text) + len(more)
	tracker := *(*unsafe.Pointer)(unsafe.Add(vm, l.tracker.at))
	if n < shortSum || n > longSum || tracker == nil {
		return text + more
	}
	s := (*sums)(unsafe.Add(tracker, l.tracker.sums))
	data := unsafe.Pointer(unsafe.StringData(text))
	for i := range s.list {
		last := &s.list[i]
		if last.data != data || last.used != len(text) {
			continue
		}
		if n > last.size {
			room := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.StringData(text))), len(text))
			room = append(make([]byte, 0, n+n/2), room...)
			last.data, last.size = unsafe.Pointer(unsafe.SliceData(room)), cap(room)
		}
		copy(unsafe.Slice((*byte)(last.data), n)[len(text):], more)
		last.used = n
		return unsafe.String((*byte)(last.data), n)
	}
	sum := text + more
	last := &s.list[s.next]
	s.next = (s.next + 1) % len(s.list)
	last.data, last.used, last.size = unsafe.Pointer(unsafe.StringData(sum)), n, n
	return sum
}
