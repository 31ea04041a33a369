package encoding

import (
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// utf8Machine is https://encoding.spec.whatwg.org/#utf-8-decoder. One error stands for the longest start of a character
// that went wrong, where Go's own decoder counts each byte.
type utf8Machine struct {
	// part holds the have bytes of a character whose rest is still to come.
	part [4]byte
	have int
}

func (m *utf8Machine) reset() { m.have = 0 }

func (m *utf8Machine) decode(o *output, in []byte, last bool) {
	if m.have > 0 {
		in = append(m.part[:m.have:m.have], in...)
		m.have = 0
	}
	for len(in) > 0 {
		n := validPrefix(in)
		o.text = append(o.text, in[:n]...)
		in = in[n:]
		if len(in) == 0 {
			return
		}
		length, complete := brokenLength(in)
		if !complete && !last {
			m.have = copy(m.part[:], in)
			return
		}
		if !o.malformed() {
			return
		}
		in = in[length:]
	}
}

// validPrefix is how many bytes from the start are whole, well-formed characters.
func validPrefix(in []byte) int {
	i := 0
	for i < len(in) {
		if in[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(in[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return i
}

// brokenLength is how many bytes one error takes away at the start of in. complete is false when in ends inside a
// character that may still become whole.
func brokenLength(in []byte) (n int, complete bool) {
	lower, upper := byte(0x80), byte(0xBF)
	var need int
	switch b := in[0]; {
	case 0xC2 <= b && b <= 0xDF:
		need = 1
	case 0xE0 <= b && b <= 0xEF:
		need = 2
		if b == 0xE0 {
			lower = 0xA0
		}
		if b == 0xED {
			upper = 0x9F
		}
	case 0xF0 <= b && b <= 0xF4:
		need = 3
		if b == 0xF0 {
			lower = 0x90
		}
		if b == 0xF4 {
			upper = 0x8F
		}
	default:
		return 1, true
	}
	for i := 1; i <= need; i++ {
		if i == len(in) {
			return i, false
		}
		if in[i] < lower || in[i] > upper {
			return i, true
		}
		lower, upper = 0x80, 0xBF
	}
	return need + 1, true
}

// utf16Machine is https://encoding.spec.whatwg.org/#shared-utf-16-decoder.
type utf16Machine struct {
	big     bool
	half    byte
	hasHalf bool
	lead    uint16
}

func (m *utf16Machine) reset() { m.hasHalf, m.lead = false, 0 }

func (m *utf16Machine) decode(o *output, in []byte, last bool) {
	for _, b := range in {
		if !m.hasHalf {
			m.half, m.hasHalf = b, true
			continue
		}
		m.hasHalf = false
		unit := uint16(b)<<8 | uint16(m.half)
		if m.big {
			unit = uint16(m.half)<<8 | uint16(b)
		}
		if !m.unit(o, unit) {
			return
		}
	}
	if last && (m.hasHalf || m.lead != 0) {
		m.reset()
		o.malformed()
	}
}

func (m *utf16Machine) unit(o *output, u uint16) bool {
	if m.lead != 0 {
		lead := m.lead
		m.lead = 0
		if 0xDC00 <= u && u <= 0xDFFF {
			o.rune(utf16.DecodeRune(rune(lead), rune(u)))
			return true
		}
		if !o.malformed() {
			return false
		}
	}
	switch {
	case 0xD800 <= u && u <= 0xDBFF:
		m.lead = u
		return true
	case 0xDC00 <= u && u <= 0xDFFF:
		return o.malformed()
	}
	o.rune(rune(u))
	return true
}

// singleMachine is https://encoding.spec.whatwg.org/#single-byte-decoder, and x-user-defined.
type singleMachine struct {
	table *charmap.Charmap
	// c1 maps the bytes 0x80 to 0x9F that the table lacks to themselves, as all windows encodings do in the standard.
	c1 bool
}

func (*singleMachine) reset() {}

func (m *singleMachine) decode(o *output, in []byte, _ bool) {
	for _, b := range in {
		if b < 0x80 {
			o.text = append(o.text, b)
			continue
		}
		switch r := m.table.DecodeByte(b); {
		case r != utf8.RuneError:
			o.rune(r)
		case m.c1 && b < 0xA0:
			o.rune(rune(b))
		case !o.malformed():
			return
		}
	}
}
