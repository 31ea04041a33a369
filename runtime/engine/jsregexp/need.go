package jsregexp

import (
	"bytes"
	"math/bits"
	"slices"
)

// endless is the length of what has no end, in units.
const endless = 1 << 30

func addLength(a, b int32) int32 { return int32(min(int64(a)+int64(b), endless)) }

func mulLength(a, b int32) int32 { return int32(min(int64(a)*int64(b), endless)) }

// length is how many units a piece matches at least and at most.
func (c *compiler) length(n *node) (lo, hi int32) {
	if !n.measured {
		n.measured = true
		n.lo, n.hi = c.measure(n)
	}
	return n.lo, n.hi
}

func (c *compiler) measure(n *node) (lo, hi int32) {
	switch n.kind {
	case nChar, nSet:
		if c.p.full {
			return 1, 2
		}
		return 1, 1
	case nSeq:
		for _, k := range n.kids {
			a, b := c.length(k)
			lo, hi = addLength(lo, a), addLength(hi, b)
		}
	case nAlt:
		lo = endless
		for _, k := range n.kids {
			a, b := c.length(k)
			lo, hi = min(lo, a), max(hi, b)
		}
	case nGroup:
		return c.length(n.kids[0])
	case nRepeat:
		a, b := c.length(n.kids[0])
		most := int32(n.max)
		if n.max < 0 || n.max > endless {
			most = endless
		}
		return mulLength(int32(min(n.min, endless)), a), mulLength(most, b)
	case nBackref:
		return 0, endless
	}
	return lo, hi
}

// need is something that each match has in it: a text in ASCII, or one of a few characters. Where it is not, there is
// no match; and where it is near the beginning of a match, none begins far before it.
type need struct {
	text   []byte
	ascii  [2]uint64
	wide   bool  // or anything beyond ASCII
	lo, hi int32 // how far from the beginning of a match it begins; hi may be endless
	weight int   // how frequent it is: of a thousand characters
}

// weights are about how often characters in ASCII occur in a thousand of texts and programs.
var weights = func() (w [128]int) {
	for c := range w {
		switch {
		case c < ' ':
			w[c] = 1
		case 'A' <= c && c <= 'Z':
			w[c] = 3
		case '0' <= c && c <= '9':
			w[c] = 8
		default:
			w[c] = 4
		}
	}
	for i, c := range "etaoinsrhldcumpfgwybvkxjqz" {
		w[c] = []int{80, 60, 55, 50, 50, 50, 45, 45, 30, 30, 25, 25, 20,
			18, 18, 15, 12, 10, 10, 10, 7, 5, 3, 2, 1, 1}[i]
	}
	w[' '], w['\n'], w['.'], w[','], w['"'], w['-'], w['/'] = 120, 20, 10, 10, 8, 8, 8
	return w
}()

const wideWeight = 30

func weightOf(ascii [2]uint64, wide bool) (sum int) {
	for i, word := range ascii {
		for ; word != 0; word &= word - 1 {
			sum += weights[64*i+bits.TrailingZeros64(word)]
		}
	}
	if wide {
		sum += wideWeight
	}
	return sum
}

// frequent is the weight from which on it is not worth looking for something.
const frequent = 150

// needed is what to look for before a pattern is tried, nil if that does not help.
func (c *compiler) needed(root *node) *need {
	if c.p.fixed || len(c.p.text) > 0 {
		return nil
	}
	n := c.needOf(root)
	if n == nil || n.weight > frequent {
		return nil
	}
	if h := c.p.start; h != nil && 2*n.weight > weightOf(h.ascii, h.wide) && len(n.text) < 2 {
		return nil // the beginning is looked for anyway
	}
	return n
}

// rank orders what could be looked for: the best has the least.
func (n *need) rank() int {
	switch {
	case n.hi >= endless:
		return 4*n.weight + 8
	default:
		return 4*n.weight + int(min(n.hi, 32))
	}
}

// needOf finds the best that each match of a piece has in it.
func (c *compiler) needOf(n *node) (best *need) {
	switch n.kind {
	case nChar, nSet:
		t := c.tester(n)
		best = &need{ascii: t.ascii, wide: headsOf(t).wide}
		best.weight = weightOf(best.ascii, best.wide)
	case nSeq:
		var lo, hi int32
		for i := 0; i < len(n.kids); i++ {
			var k *need
			text := plainASCII(n.kids[i:])
			if len(text) > 1 {
				k = &need{text: text, weight: 1000}
				for _, b := range text {
					k.weight = min(k.weight, weights[b]/2)
				}
				k.ascii[text[0]>>6] = 1 << (text[0] & 63)
			} else {
				k = c.needOf(n.kids[i])
			}
			if k != nil {
				moved := *k
				moved.lo, moved.hi = addLength(lo, k.lo), addLength(hi, k.hi)
				if best == nil || moved.rank() < best.rank() {
					best = &moved
				}
			}
			for range max(1, len(text)) {
				a, b := c.length(n.kids[i])
				lo, hi = addLength(lo, a), addLength(hi, b)
				i++
			}
			i--
		}
	case nAlt:
		for i, kid := range n.kids {
			k := c.needOf(kid)
			switch {
			case k == nil:
				return nil
			case i == 0:
				one := *k
				best = &one
				continue
			}
			if !bytes.Equal(best.text, k.text) {
				best.text = nil
			}
			best.ascii[0] |= k.ascii[0]
			best.ascii[1] |= k.ascii[1]
			best.wide = best.wide || k.wide
			best.lo, best.hi = min(best.lo, k.lo), max(best.hi, k.hi)
			best.weight = weightOf(best.ascii, best.wide)
		}
	case nGroup:
		return c.needOf(n.kids[0])
	case nRepeat:
		if n.min > 0 {
			return c.needOf(n.kids[0])
		}
	}
	return best
}

// beyond tells whether each match of a piece has something beyond ASCII in it.
func (c *compiler) beyond(n *node) bool {
	switch n.kind {
	case nChar, nSet:
		return c.tester(n).ascii == [2]uint64{}
	case nSeq:
		return slices.ContainsFunc(n.kids, c.beyond)
	case nAlt:
		return !slices.ContainsFunc(n.kids, func(k *node) bool { return !c.beyond(k) })
	case nGroup:
		return c.beyond(n.kids[0])
	case nRepeat:
		return n.min > 0 && c.beyond(n.kids[0])
	}
	return false
}

// plainASCII is the text of the single characters in ASCII that pieces begin with.
func plainASCII(pieces []*node) (text []byte) {
	for _, n := range pieces {
		if n.kind != nChar || n.fold || n.r >= 128 {
			break
		}
		text = append(text, byte(n.r))
	}
	return text
}

// reach advances to the first place from which a match reaches what it needs, or returns -1.
func (m *machine[T]) reach(pos int32) int32 {
	n := m.p.need
	if from := pos + n.lo; m.found < from {
		if int(from) >= len(m.in) {
			return -1
		}
		if m.found = m.find(n, from); m.found < 0 {
			return -1
		}
		m.ticks += int(m.found-from) >> workShift
	}
	if to := m.found - n.hi; to > pos {
		pos = to
		if m.p.full && isLow(m.in[pos]) && isHigh(m.in[pos-1]) {
			pos--
		}
	}
	return pos
}

// find is where something that is needed begins, from a place inside the text on; -1 if it is nowhere.
func (m *machine[T]) find(n *need, from int32) int32 {
	if m.bytes != nil && len(n.text) > 0 {
		i := bytes.Index(m.bytes[from:], n.text)
		if i < 0 {
			return -1
		}
		return from + int32(i)
	}
	ascii := n.ascii
	if m.bytes != nil {
		if bits.OnesCount64(ascii[0])+bits.OnesCount64(ascii[1]) == 1 {
			c := byte(bits.TrailingZeros64(ascii[0]))
			if ascii[0] == 0 {
				c = 64 + byte(bits.TrailingZeros64(ascii[1]))
			}
			i := bytes.IndexByte(m.bytes[from:], c)
			if i < 0 {
				return -1
			}
			return from + int32(i)
		}
	}
	for i, c := range m.in[from:] {
		if c := uint16(c); c < 128 {
			if ascii[c>>6]>>(c&63)&1 != 0 {
				return from + int32(i)
			}
		} else if n.wide {
			return from + int32(i)
		}
	}
	return -1
}

// line advances to the beginning of a line, or returns -1.
func (m *machine[T]) line(pos int32) int32 {
	if pos == 0 {
		return 0
	}
	for i, c := range m.in[pos-1:] {
		if c := uint16(c); c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029 {
			m.ticks += i >> workShift
			return pos + int32(i)
		}
	}
	return -1
}
