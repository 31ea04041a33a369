package encoding

// iso2022JPMachine is https://encoding.spec.whatwg.org/#iso-2022-jp-decoder.
type iso2022JPMachine struct {
	index  []rune
	state  jpState
	output jpState
	lead   int
	// emitted says that something has come out since the last escape sequence; two escapes in a row are an error.
	emitted bool
}

type jpState int

const (
	jpASCII jpState = iota
	jpRoman
	jpKatakana
	jpLead
	jpTrail
	jpEscapeStart
	jpEscape
)

const escape = 0x1B

func (m *iso2022JPMachine) reset() { *m = iso2022JPMachine{index: m.index} }

func (m *iso2022JPMachine) idle() bool { return m.state <= jpLead }

func (m *iso2022JPMachine) decode(o *output, in []byte, last bool) {
	drive(m, o, in, last)
	if last {
		m.reset()
	}
}

func (m *iso2022JPMachine) step(o *output, b int) ([]byte, bool) {
	switch m.state {
	case jpTrail:
		return m.trail(o, b)
	case jpEscapeStart:
		if b == 0x24 || b == 0x28 {
			m.lead = b
			m.state = jpEscape
			return nil, true
		}
		m.emitted = false
		m.state = m.output
		return back(b), o.malformed()
	case jpEscape:
		return m.escaped(o, b)
	}
	if b == escape {
		m.state = jpEscapeStart
		return nil, true
	}
	m.emitted = false
	switch {
	case m.state == jpLead && inRange(b, 0x21, 0x7E):
		m.lead = b
		m.state = jpTrail
	case m.state == jpKatakana && inRange(b, 0x21, 0x5F):
		o.rune(rune(0xFF61 - 0x21 + b))
	case m.state == jpRoman && b == 0x5C:
		o.rune(0xA5)
	case m.state == jpRoman && b == 0x7E:
		o.rune(0x203E)
	case (m.state == jpASCII || m.state == jpRoman) && b < 0x80 && b != 0x0E && b != 0x0F:
		o.rune(rune(b))
	default:
		return nil, o.malformed()
	}
	return nil, true
}

func (m *iso2022JPMachine) trail(o *output, b int) ([]byte, bool) {
	if b == escape {
		m.state = jpEscapeStart
		return nil, o.malformed()
	}
	m.state = jpLead
	if inRange(b, 0x21, 0x7E) {
		if r := at(m.index, (m.lead-0x21)*94+b-0x21); r != 0 {
			o.rune(r)
			return nil, true
		}
	}
	return nil, o.malformed()
}

func (m *iso2022JPMachine) escaped(o *output, b int) ([]byte, bool) {
	lead := m.lead
	m.lead = 0
	next, known := map[[2]int]jpState{
		{0x28, 0x42}: jpASCII, {0x28, 0x4A}: jpRoman, {0x28, 0x49}: jpKatakana, {0x24, 0x40}: jpLead,
		{0x24, 0x42}: jpLead,
	}[[2]int{lead, b}]
	if known {
		m.state, m.output = next, next
		twice := m.emitted
		m.emitted = true
		return nil, !twice || o.malformed()
	}
	m.emitted = false
	m.state = m.output
	return append([]byte{byte(lead)}, back(b)...), o.malformed()
}

// back returns b to be read again. It leaves out the end of the stream, which comes again by itself.
func back(b int) []byte {
	if b == end {
		return nil
	}
	return []byte{byte(b)}
}
