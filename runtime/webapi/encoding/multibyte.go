package encoding

// The legacy multi-byte decoders of the standard. Each is a step function of one byte; the loop that drives them hands
// back bytes that a step refuses.

// end is the end of the stream as a step sees it.
const end = -1

// step results: a step emits through the output itself and tells how many of the last bytes are to be read again.
type stepper interface {
	// step takes a byte or end. again lists bytes to be read next, in order; more is false when a fatal decoder stops.
	step(o *output, b int) (again []byte, more bool)
	// idle tells that nothing is left over.
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

// at is index[i], 0 for what is not in it.
func at(index []rune, i int) rune {
	if i < 0 || i >= len(index) {
		return 0
	}
	return index[i]
}

// big5Machine is https://encoding.spec.whatwg.org/#big5-decoder.
type big5Machine struct {
	index []rune
	lead  int
}

func (m *big5Machine) reset()     { m.lead = 0 }
func (m *big5Machine) idle() bool { return m.lead == 0 }

func (m *big5Machine) decode(o *output, in []byte, last bool) { drive(m, o, in, last) }

func (m *big5Machine) step(o *output, b int) ([]byte, bool) {
	if m.lead == 0 {
		switch {
		case b < 0x80:
			o.rune(rune(b))
		case inRange(b, 0x81, 0xFE):
			m.lead = b
		default:
			return nil, o.malformed()
		}
		return nil, true
	}
	lead := m.lead
	m.lead = 0
	if inRange(b, 0x40, 0x7E) || inRange(b, 0xA1, 0xFE) {
		offset := 0x62
		if b < 0x7F {
			offset = 0x40
		}
		pointer := (lead-0x81)*157 + b - offset
		switch pointer {
		case 1133:
			o.text = append(o.text, "\u00CA\u0304"...)
			return nil, true
		case 1135:
			o.text = append(o.text, "\u00CA\u030C"...)
			return nil, true
		case 1164:
			o.text = append(o.text, "\u00EA\u0304"...)
			return nil, true
		case 1166:
			o.text = append(o.text, "\u00EA\u030C"...)
			return nil, true
		}
		if r := at(m.index, pointer); r != 0 {
			o.rune(r)
			return nil, true
		}
	}
	return failWith(o, b)
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

// shiftJISMachine is https://encoding.spec.whatwg.org/#shift_jis-decoder.
type shiftJISMachine struct {
	index []rune
	lead  int
}

func (m *shiftJISMachine) reset()     { m.lead = 0 }
func (m *shiftJISMachine) idle() bool { return m.lead == 0 }

func (m *shiftJISMachine) decode(o *output, in []byte, last bool) { drive(m, o, in, last) }

func (m *shiftJISMachine) step(o *output, b int) ([]byte, bool) {
	if m.lead == 0 {
		switch {
		case b <= 0x80:
			o.rune(rune(b))
		case inRange(b, 0xA1, 0xDF):
			o.rune(rune(0xFF61 - 0xA1 + b))
		case inRange(b, 0x81, 0x9F), inRange(b, 0xE0, 0xFC):
			m.lead = b
		default:
			return nil, o.malformed()
		}
		return nil, true
	}
	lead := m.lead
	m.lead = 0
	if inRange(b, 0x40, 0x7E) || inRange(b, 0x80, 0xFC) {
		offset, leadOffset := 0x41, 0xC1
		if b < 0x7F {
			offset = 0x40
		}
		if lead < 0xA0 {
			leadOffset = 0x81
		}
		pointer := (lead-leadOffset)*188 + b - offset
		if inRange(pointer, 8836, 10715) {
			o.rune(rune(0xE000 - 8836 + pointer)) // private use, for compatibility
			return nil, true
		}
		if r := at(m.index, pointer); r != 0 {
			o.rune(r)
			return nil, true
		}
	}
	return failWith(o, b)
}

// eucKRMachine is https://encoding.spec.whatwg.org/#euc-kr-decoder.
type eucKRMachine struct {
	index []rune
	lead  int
}

func (m *eucKRMachine) reset()     { m.lead = 0 }
func (m *eucKRMachine) idle() bool { return m.lead == 0 }

func (m *eucKRMachine) decode(o *output, in []byte, last bool) { drive(m, o, in, last) }

func (m *eucKRMachine) step(o *output, b int) ([]byte, bool) {
	if m.lead == 0 {
		switch {
		case b < 0x80:
			o.rune(rune(b))
		case inRange(b, 0x81, 0xFE):
			m.lead = b
		default:
			return nil, o.malformed()
		}
		return nil, true
	}
	lead := m.lead
	m.lead = 0
	if inRange(b, 0x41, 0xFE) {
		if r := at(m.index, (lead-0x81)*190+b-0x41); r != 0 {
			o.rune(r)
			return nil, true
		}
	}
	return failWith(o, b)
}
