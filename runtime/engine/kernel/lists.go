package kernel

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/dop251/goja"

	"eddy/runtime/engine/native"
)

// copied is a plain array whose numbers were copied.
type copied struct {
	input int
	list  []goja.Value
	*snapshot
	shared bool // the snapshot is the kernel's
}

// snapshot is the numbers of an array. The kernel keeps that of an array that it does not change.
type snapshot struct {
	values []goja.Value
	bytes  []byte
	ints   bool
	odd    bool // some are undefined, or not there
}

// distinct tells that no two of the copies are of one array, which one of them could change.
func (e *entry) distinct() bool {
	for i, a := range e.copies {
		for _, b := range e.copies[:i] {
			if len(a.list) > 0 && len(b.list) > 0 && &a.list[0] == &b.list[0] {
				return false
			}
		}
	}
	return true
}

// own tells that no copy that changes is one that the kernel keeps.
func (e *entry) own(written map[int]bool) bool {
	for _, c := range e.copies {
		if c.shared && written[c.input] {
			return false
		}
	}
	return true
}

// giveBack brings the numbers of changed copies into their arrays.
func (e *entry) giveBack(written map[int]bool) {
	for _, c := range e.copies {
		if !written[c.input] {
			continue
		}
		for i := range c.list {
			if c.ints {
				c.list[i] = e.frame.Whole(int64(int32(binary.LittleEndian.Uint32(c.bytes[4*i:]))))
			} else {
				c.list[i] = e.frame.Value(math.Float64frombits(binary.LittleEndian.Uint64(c.bytes[8*i:])))
			}
		}
	}
}

// list copies a plain array of numbers.
func (e *entry) list(n int, list []goja.Value) (k kind, ok bool) {
	c := copied{input: n, list: list}
	if e.kernel.kept == nil {
		e.kernel.kept = make([]*snapshot, len(e.kernel.plan.inputs))
	}
	last := e.kernel.last.Load()
	switch kept := e.kernel.kept[n]; {
	case last != nil && last.written[n]:
		if len(list) > maxList {
			return kind{}, true
		}
		c.snapshot = e.snapshot(list)
	case kept != nil && kept.ints == (kept.ints && !e.kernel.doubles) && e.frame.Same(kept.values, list):
		c.snapshot, c.shared = kept, true
		e.copied += int64(len(list) / 16)
	default:
		if c.snapshot = e.snapshot(list); c.snapshot != nil {
			c.values = slices.Clone(list)
			e.kernel.kept[n], c.shared = c.snapshot, true
		}
	}
	if c.snapshot == nil {
		return kind{}, true
	}
	if !c.shared {
		e.copied += int64(len(list))
	}
	at, reached := native.Offset(c.bytes)
	if !reached {
		return k, false
	}
	e.copies = append(e.copies, c)
	e.params = append(e.params, uint64(at), uint64(len(list)))
	k = kind{sort: sortArray, element: Float64, list: true, odd: c.odd, fixed: e.kernel.fixed(n, len(list))}
	if c.ints {
		k.element = Int32
	}
	return k, true
}

// number is a value as a double; whole tells that the language keeps it as an integer.
func (e *entry) number(v goja.Value) (f float64, whole, is bool) {
	if x, is := e.frame.Integer(v); is {
		return float64(x), true, true
	}
	f, is = e.frame.Float(v)
	return f, false, is
}

// bitsOf are the bits of a double, of NaN always the same: others stand for undefined.
func bitsOf(f float64) uint64 {
	if f != f {
		f = math.NaN()
	}
	return math.Float64bits(f)
}

// snapshot is the numbers of a list; nil if it has something else.
func (e *entry) snapshot(list []goja.Value) *snapshot {
	s := &snapshot{ints: !e.kernel.doubles, bytes: make([]byte, 0, 8*len(list))}
	for _, v := range list {
		x, is := e.frame.Integer(v)
		if !is || x < minInt32 || x > maxInt32 {
			s.ints = false
		}
		if !s.ints {
			break
		}
		s.bytes = binary.LittleEndian.AppendUint32(s.bytes, uint32(x))
	}
	if s.ints {
		return s
	}
	s.bytes = s.bytes[:0]
	for _, v := range list {
		bits := uint64(oddDouble)
		if f, _, is := e.number(v); is {
			bits = bitsOf(f)
		} else if s.odd = true; v != nil && v != goja.Undefined() {
			return nil
		}
		s.bytes = binary.LittleEndian.AppendUint64(s.bytes, bits)
	}
	return s
}
