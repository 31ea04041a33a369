package encoding

// gb18030Machine is https://encoding.spec.whatwg.org/#gb18030-decoder, which is also the decoder of gbk.
type gb18030Machine struct {
	index                *gbTables
	first, second, third int
}

func (m *gb18030Machine) reset()     { m.first, m.second, m.third = 0, 0, 0 }
func (m *gb18030Machine) idle() bool { return m.first == 0 }

func (m *gb18030Machine) decode(o *output, in []byte, last bool) { drive(m, o, in, last) }

func (m *gb18030Machine) step(o *output, b int) ([]byte, bool) {
	first, second, third := m.first, m.second, m.third
	switch {
	case b == end:
		m.reset()
		return nil, o.malformed()
	case third != 0:
		m.reset()
		if !inRange(b, 0x30, 0x39) {
			return []byte{byte(second), byte(third), byte(b)}, o.malformed()
		}
		r := m.index.fourBytes(((first-0x81)*10+second-0x30)*1260 + (third-0x81)*10 + b - 0x30)
		if r == 0 {
			return nil, o.malformed()
		}
		o.rune(r)
	case second != 0:
		if inRange(b, 0x81, 0xFE) {
			m.third = b
			return nil, true
		}
		m.reset()
		return []byte{byte(second), byte(b)}, o.malformed()
	case first != 0:
		if inRange(b, 0x30, 0x39) {
			m.second = b
			return nil, true
		}
		m.first = 0
		if inRange(b, 0x40, 0x7E) || inRange(b, 0x80, 0xFE) {
			offset := 0x41
			if b < 0x7F {
				offset = 0x40
			}
			if r := at(m.index.two, (first-0x81)*190+b-offset); r != 0 {
				o.rune(r)
				return nil, true
			}
		}
		return failWith(o, b)
	case b < 0x80:
		o.rune(rune(b))
	case b == 0x80:
		o.rune(0x20AC)
	case inRange(b, 0x81, 0xFE):
		m.first = b
	default:
		return nil, o.malformed()
	}
	return nil, true
}

// gbTables are index gb18030 and index gb18030 ranges.
type gbTables struct {
	two []rune
	// four holds the code points of the pointers below 39420, one by one.
	four []rune
}

// fourBytes is the code point of a four-byte pointer, 0 for none.
func (t *gbTables) fourBytes(pointer int) rune {
	switch {
	case pointer == 7457:
		return 0xE7C7
	case pointer < len(t.four):
		return t.four[pointer]
	case pointer >= 189000 && pointer <= 1237575:
		return rune(0x10000 + pointer - 189000)
	}
	return 0
}

// gbCorrections are the pairs that the standard maps differently from the tables of x/text. Those follow an older
// GB 18030; since then the vertical forms and some ideographs have left the private use area.
var gbCorrections = map[int]rune{
	0xA8BB: 0x0251, 0xA8BC: 0x1E3F, 0xA8BD: 0x0144, 0xA8BF: 0x01F9,
	0xA6D9: 0xFE10, 0xA6DA: 0xFE12, 0xA6DB: 0xFE11, 0xA6DC: 0xFE13, 0xA6DD: 0xFE14, 0xA6DE: 0xFE15, 0xA6DF: 0xFE16,
	0xA6EC: 0xFE17, 0xA6ED: 0xFE18, 0xA6F3: 0xFE19,
	0xFE59: 0x9FB4, 0xFE61: 0x9FB5, 0xFE66: 0x9FB6, 0xFE67: 0x9FB7, 0xFE6D: 0x9FB8, 0xFE7E: 0x9FB9, 0xFE90: 0x9FBA,
	0xFEA0: 0x9FBB,
}
