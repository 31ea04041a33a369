package wasm

import (
	"fmt"
	"unicode/utf8"
)

// formatError is a malformed binary, at a byte offset.
type formatError struct {
	text   string
	offset int
}

func (e *formatError) Error() string { return fmt.Sprintf("%s @+%d", e.text, e.offset) }

// reader walks over bytes. It panics with *formatError; decode recovers.
type reader struct {
	b    []byte
	pos  int
	base int // offset of b in the file
}

func (r *reader) fail(format string, args ...any) {
	panic(&formatError{fmt.Sprintf(format, args...), r.base + r.pos})
}

func (r *reader) more() bool { return r.pos < len(r.b) }

func (r *reader) byte() byte {
	if r.pos >= len(r.b) {
		r.fail("expected 1 byte")
	}
	b := r.b[r.pos]
	r.pos++
	return b
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b)-r.pos {
		r.fail("expected %d bytes, fell off end", n)
	}
	b := r.b[r.pos : r.pos+n]
	r.pos += n
	return b
}

// uleb reads an unsigned number; n is the greatest number of bytes, 5 or 10.
func (r *reader) uleb(n int) uint64 {
	var v uint64
	for i := range n {
		b := r.byte()
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return v
		}
	}
	r.fail("invalid LEB128, length overflow while decoding")
	return 0
}

func (r *reader) u32() int {
	v := r.uleb(5)
	if v > 1<<32-1 {
		r.fail("invalid LEB128, extra bits in varint")
	}
	return int(v)
}

func (r *reader) skipLEB() { r.sleb() }

func (r *reader) sleb() int64 {
	var v int64
	for i := range 10 {
		b := r.byte()
		v |= int64(b&0x7f) << (7 * i)
		if b < 0x80 {
			if b&0x40 != 0 && 7*(i+1) < 64 {
				v |= -1 << (7 * (i + 1))
			}
			return v
		}
	}
	r.fail("invalid LEB128, length overflow while decoding")
	return 0
}

func (r *reader) name() string {
	b := r.take(r.u32())
	if !utf8.Valid(b) {
		r.fail("invalid UTF-8 string")
	}
	return string(b)
}

func (r *reader) valType() valType {
	b := r.byte()
	switch b {
	case 0x63, 0x64:
		heap := r.sleb()
		if b == 0x63 && heap == -16 {
			return funcref
		}
		if b == 0x63 && heap == -17 {
			return externref
		}
		return typedRef
	case 0x7f, 0x7e, 0x7d, 0x7c, 0x7b, 0x70, 0x6f:
		return valType(b)
	case 0x69, 0x6e, 0x6d, 0x6c, 0x6b, 0x6a, 0x71, 0x72, 0x73, 0x74:
		return typedRef
	}
	r.pos--
	r.fail("invalid value type 0x%x", b)
	return 0
}

func (r *reader) valTypes() []valType {
	n := r.u32()
	if n > 1000 {
		r.fail("number of parameters or results %d exceeds internal limit of 1000", n)
	}
	list := make([]valType, n)
	for i := range list {
		list[i] = r.valType()
	}
	return list
}

func (r *reader) limits() limits {
	flag := r.byte()
	if flag > 3 {
		r.fail("invalid limits flags 0x%x", flag)
	}
	l := limits{min: r.uleb(5), hasMax: flag&1 != 0, shared: flag&2 != 0}
	if l.hasMax {
		l.max = r.uleb(5)
	}
	return l
}

func (r *reader) tableType() extern {
	t := r.valType()
	return extern{kind: kindTable, val: t, limits: r.limits()}
}

func (r *reader) globalType() extern {
	t := r.valType()
	return extern{kind: kindGlobal, val: t, mutable: r.byte() == 1}
}

// skipConst passes over a constant expression.
func skipConst(r *reader) {
	for {
		switch op := r.byte(); op {
		case 0x0b:
			return
		case 0x41, 0x42, 0x23, 0xd0, 0xd2:
			r.skipLEB()
		case 0x43:
			r.take(4)
		case 0x44:
			r.take(8)
		case 0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e:
		case 0xfd:
			if sub := r.u32(); sub != 12 {
				r.fail("opcode 0xfd%x is not allowed in constant expressions", sub)
			}
			r.take(16)
		default:
			r.fail("opcode 0x%x is not allowed in constant expressions", op)
		}
	}
}
