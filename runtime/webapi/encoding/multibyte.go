package encoding

// These are the legacy multi-byte decoders of the standard. Each is a step function of one byte; the loop that drives
// them hands back bytes that a step refuses.

// end is the end of the stream as a step sees it.
const end = -1

// stepper is one of these decoders. It emits through the output itself and says which bytes are to be read again.
type stepper interface {
	// step takes a byte or end. again lists bytes to be read next, in order; more is false when a fatal decoder stops.
	step(o *output, b int) (again []byte, more bool)
	// idle tells whether nothing is left over.
	idle() bool
}

// drive feeds in, and the end if last, to s.
func drive(s stepper, o *output, in []byte, last bool) {
	for i := 0; i < len(in); i++ {
		if !feed(s, o, int(in[i])) {
			return
		}
	}
	if !last {
		return
	}
	for !s.idle() {
		again, more := s.step(o, end)
		if !more {
			return
		}
		for _, b := range again {
			if !feed(s, o, int(b)) {
				return
			}
		}
	}
}

func feed(s stepper, o *output, b int) bool {
	again, more := s.step(o, b)
	if !more {
		return false
	}
	for _, r := range again {
		if !feed(s, o, int(r)) {
			return false
		}
	}
	return true
}

func inRange(b, lo, hi int) bool { return lo <= b && b <= hi }

// failWith reports an error and gives back b when it is ASCII, which must not be swallowed by a broken character.
func failWith(o *output, b int) ([]byte, bool) {
	if !o.malformed() {
		return nil, false
	}
	if b >= 0 && b < 0x80 {
		return []byte{byte(b)}, true
	}
	return nil, true
}

// at is index[i], 0 if the index is shorter.
func at(index []rune, i int) rune {
	if i < 0 || i >= len(index) {
		return 0
	}
	return index[i]
}

// twoByteMachine decodes the encodings whose characters are one byte, or a lead byte and a trail byte.
type twoByteMachine struct {
	twoByteCode
	lead int
}

// twoByteCode is what sets one of them apart.
type twoByteCode interface {
	// first tells what a byte at the beginning of a character is: the character r, a lead byte, or, with neither, an
	// error.
	first(b int) (r rune, lead bool, ok bool)
	// text is the character of lead and trail, "" for none.
	text(lead, trail int) string
}

func (m *twoByteMachine) reset()     { m.lead = 0 }
func (m *twoByteMachine) idle() bool { return m.lead == 0 }

func (m *twoByteMachine) decode(o *output, in []byte, last bool) { drive(m, o, in, last) }

func (m *twoByteMachine) step(o *output, b int) ([]byte, bool) {
	if m.lead != 0 {
		lead := m.lead
		m.lead = 0
		if s := m.text(lead, b); s != "" {
			o.text = append(o.text, s...)
			return nil, true
		}
		return failWith(o, b)
	}
	switch r, lead, ok := m.first(b); {
	case !ok:
		return nil, o.malformed()
	case lead:
		m.lead = b
	default:
		o.rune(r)
	}
	return nil, true
}

// leadFrom81 is the first byte of Big5 and EUC-KR: ASCII, or a lead byte from 0x81 on.
func leadFrom81(b int) (rune, bool, bool) {
	return rune(b), b >= 0x80, b < 0x80 || inRange(b, 0x81, 0xFE)
}

// character is index[i] as text, "" for what is not in it.
func character(index []rune, i int) string {
	if r := at(index, i); r != 0 {
		return string(r)
	}
	return ""
}

// big5 is https://encoding.spec.whatwg.org/#big5-decoder.
type big5 struct{ index []rune }

func (big5) first(b int) (rune, bool, bool) { return leadFrom81(b) }

func (c big5) text(lead, trail int) string {
	offset := 0x62
	switch {
	case inRange(trail, 0x40, 0x7E):
		offset = 0x40
	case !inRange(trail, 0xA1, 0xFE):
		return ""
	}
	pointer := (lead-0x81)*157 + trail - offset
	switch pointer {
	case 1133:
		return "\u00CA\u0304"
	case 1135:
		return "\u00CA\u030C"
	case 1164:
		return "\u00EA\u0304"
	case 1166:
		return "\u00EA\u030C"
	}
	return character(c.index, pointer)
}

// eucKR is https://encoding.spec.whatwg.org/#euc-kr-decoder.
type eucKR struct{ index []rune }

func (eucKR) first(b int) (rune, bool, bool) { return leadFrom81(b) }

func (c eucKR) text(lead, trail int) string {
	if !inRange(trail, 0x41, 0xFE) {
		return ""
	}
	return character(c.index, (lead-0x81)*190+trail-0x41)
}

// shiftJIS is https://encoding.spec.whatwg.org/#shift_jis-decoder.
type shiftJIS struct{ index []rune }

func (shiftJIS) first(b int) (rune, bool, bool) {
	switch {
	case b <= 0x80:
		return rune(b), false, true
	case inRange(b, 0xA1, 0xDF):
		return rune(0xFF61 - 0xA1 + b), false, true
	}
	return 0, true, inRange(b, 0x81, 0x9F) || inRange(b, 0xE0, 0xFC)
}

func (c shiftJIS) text(lead, trail int) string {
	offset, leadOffset := 0x41, 0xC1
	switch {
	case inRange(trail, 0x40, 0x7E):
		offset = 0x40
	case !inRange(trail, 0x80, 0xFC):
		return ""
	}
	if lead < 0xA0 {
		leadOffset = 0x81
	}
	pointer := (lead-leadOffset)*188 + trail - offset
	if inRange(pointer, 8836, 10715) {
		return string(rune(0xE000 - 8836 + pointer)) // the character is one of private use, for compatibility
	}
	return character(c.index, pointer)
}

// eucJPMachine is https://encoding.spec.whatwg.org/#euc-jp-decoder.
type eucJPMachine struct {
	jis0208, jis0212 []rune
	lead             int
	second           bool // the character is in jis0212
}

func (m *eucJPMachine) reset()     { m.lead, m.second = 0, false }
func (m *eucJPMachine) idle() bool { return m.lead == 0 }

func (m *eucJPMachine) decode(o *output, in []byte, last bool) { drive(m, o, in, last) }

func (m *eucJPMachine) step(o *output, b int) ([]byte, bool) {
	switch {
	case m.lead == 0x8E && inRange(b, 0xA1, 0xDF):
		m.lead = 0
		o.rune(rune(0xFF61 - 0xA1 + b))
		return nil, true
	case m.lead == 0x8F && inRange(b, 0xA1, 0xFE):
		m.lead, m.second = b, true
		return nil, true
	case m.lead != 0:
		index := m.jis0208
		if m.second {
			index = m.jis0212
		}
		lead := m.lead
		m.reset()
		if inRange(lead, 0xA1, 0xFE) && inRange(b, 0xA1, 0xFE) {
			if r := at(index, (lead-0xA1)*94+b-0xA1); r != 0 {
				o.rune(r)
				return nil, true
			}
		}
		return failWith(o, b)
	case b < 0x80:
		o.rune(rune(b))
	case b == 0x8E || b == 0x8F || inRange(b, 0xA1, 0xFE):
		m.lead = b
	default:
		return nil, o.malformed()
	}
	return nil, true
}
